// Empty: TagLib is C++, and CTagLibPeer calls it. This module only provides the flags from pkg-config.
