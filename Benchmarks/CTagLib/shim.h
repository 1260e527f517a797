// Empty: TagLib is C++ and is called by CTagLibPeer. This module is here for the flags that pkg-config knows.
