#include "CTagLibPeer.h"

// Without libtag1-dev the package still builds, and the benchmark reports that the peer is missing.
#if __has_include(<id3v2tag.h>)
#include <id3v2header.h>
#include <id3v2tag.h>
#include <privateframe.h>

namespace {

// A tag parsed from memory, in the two steps that TagLib uses for a file. Omits the search for the tag in the file, and
// for further tags at the file's end.
class TagInMemory : public TagLib::ID3v2::Tag {
public:
    TagInMemory(const uint8_t *bytes, size_t count) {
        const TagLib::ByteVector all(reinterpret_cast<const char *>(bytes), static_cast<unsigned int>(count));
        const unsigned int headerSize = TagLib::ID3v2::Header::size();
        if (count < headerSize) return;
        header()->setData(all.mid(0, headerSize));
        if (header()->tagSize() > 0) parse(all.mid(headerSize, header()->tagSize()));
    }
};

}

int dtvr_taglib_is_there(void) { return 1; }

size_t dtvr_taglib_private_frame(const uint8_t *bytes, size_t count) {
    const TagInMemory tag(bytes, count);
    const TagLib::ID3v2::FrameList &frames = tag.frameList("PRIV");
    if (frames.isEmpty()) return 0;
    const auto *frame = dynamic_cast<const TagLib::ID3v2::PrivateFrame *>(frames.front());
    return frame ? frame->owner().size() + frame->data().size() : 0;
}

#else

int dtvr_taglib_is_there(void) { return 0; }

size_t dtvr_taglib_private_frame(const uint8_t *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return 0;
}

#endif
