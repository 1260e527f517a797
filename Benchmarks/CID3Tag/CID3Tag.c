#include "CID3Tag.h"

#include <dlfcn.h>
#include <string.h>

// The functions of id3tag.h that are used, with their names and signatures.
static void *(*id3_tag_parse)(const uint8_t *bytes, unsigned long length);
static void *(*id3_tag_findframe)(const void *tag, const char *id, unsigned int index);
static void *(*id3_frame_field)(const void *frame, unsigned int index);
static const uint8_t *(*id3_field_getlatin1)(const void *field);
static const uint8_t *(*id3_field_getbinarydata)(const void *field, unsigned long *length);
static void (*id3_tag_delete)(void *tag);

int dtvr_id3tag_open(void) {
    void *library = dlopen("libid3tag.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    *(void **)&id3_tag_parse = dlsym(library, "id3_tag_parse");
    *(void **)&id3_tag_findframe = dlsym(library, "id3_tag_findframe");
    *(void **)&id3_frame_field = dlsym(library, "id3_frame_field");
    *(void **)&id3_field_getlatin1 = dlsym(library, "id3_field_getlatin1");
    *(void **)&id3_field_getbinarydata = dlsym(library, "id3_field_getbinarydata");
    *(void **)&id3_tag_delete = dlsym(library, "id3_tag_delete");
    return id3_tag_parse && id3_tag_findframe && id3_frame_field && id3_field_getlatin1 &&
           id3_field_getbinarydata && id3_tag_delete;
}

size_t dtvr_id3tag_private_frame(const uint8_t *bytes, size_t count) {
    void *tag = id3_tag_parse(bytes, count);
    if (!tag) return 0;
    size_t total = 0;
    void *frame = id3_tag_findframe(tag, "PRIV", 0);
    if (frame) {
        const uint8_t *owner = id3_field_getlatin1(id3_frame_field(frame, 0));
        unsigned long length = 0;
        const uint8_t *data = id3_field_getbinarydata(id3_frame_field(frame, 1), &length);
        if (owner && data) total = strlen((const char *)owner) + length;
    }
    id3_tag_delete(tag);
    return total;
}
