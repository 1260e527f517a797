// The header in C++, twice, and a call through each kind of argument; what it does is tested in C.
#include <dtvr.h>
#include <dtvr.h>

int main()
{
    dtvr_options options{};
    options.size = sizeof options;
    dtvr_session *session = nullptr;
    const bool is_refused = dtvr_create(&options, nullptr, 0, &session) == DTVR_INVALID_OPTION;
    const bool is_none = dtvr_send_id3(session, "x", 1, DTVR_NO_TIME) == DTVR_NULL_POINTER;
    return is_refused && is_none && dtvr_version() != nullptr ? 0 : 1;
}
