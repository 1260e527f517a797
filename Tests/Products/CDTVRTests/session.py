#!/usr/bin/env python3
"""Uses the library through Python's ctypes, with declarations from the header: a session stores tags and calls back.

    session.py LIBRARY FOLDER
"""

import ctypes
import json
import sys
import threading

library = ctypes.CDLL(sys.argv[1])
NO_TIME = ctypes.c_double(float("nan"))
Notify = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int, ctypes.c_int32, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int64)


class Text(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("directory", Text), ("configuration_file", Text), ("configuration_url", Text),
        ("authorities_file", Text), ("maximum_bytes", ctypes.c_uint64), ("maximum_age_seconds", ctypes.c_uint64),
        ("notify", Notify), ("context", ctypes.c_void_p), ("keeps_repeats", ctypes.c_bool)]


class Counts(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_uint64) for name in (
        "handed stored repeats ignored invalid discarded held flushed sessions queued accepted lost").split()]


def text(value):
    value = value.encode()
    return value, ctypes.c_size_t(len(value))


notices = []
threads = set()


@Notify
def notify(context, notice, code, message, length, unix_ms):
    notices.append((notice, code, message.decode(), length))
    threads.add(threading.get_ident())


library.dtvr_version.restype = ctypes.c_char_p
assert library.dtvr_version().count(b".") == 2
folder = sys.argv[2].encode()
options = Options(size=ctypes.sizeof(Options), directory=Text(folder, len(folder)), notify=notify, keeps_repeats=True)
session = ctypes.c_void_p()
assert library.dtvr_create(ctypes.byref(options), *text('{"appid": "T1"}'), ctypes.byref(session)) == 0
assert library.dtvr_settle(session, ctypes.c_uint64(60_000)) == 0
assert library.dtvr_play(session, *text('{"channelName": "Küste"}'), NO_TIME) == 0
owner = "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/python/00000/00000/00"
# A whole ID3 tag with a private frame (ID3v2.4, 4.27), and its owner identifier alone: repeats are kept here.
body = owner.encode() + b"\0\0"
size = len(body)
frame = b"PRIV" + bytes([0, 0, size >> 7, size & 127]) + b"\0\0" + body
tag = b"ID3\4\0\0" + bytes([0, 0, len(frame) >> 7, len(frame) & 127]) + frame
assert library.dtvr_send_id3(session, tag, ctypes.c_size_t(len(tag)), NO_TIME) == 1
assert library.dtvr_send_id3(session, *text(owner), NO_TIME) == 1
assert library.dtvr_send_id3(session, *text(owner + "x"), ctypes.c_double(30.5)) == 2
buffer, length = ctypes.create_string_buffer(4096), ctypes.c_size_t()
assert library.dtvr_findings(session, buffer, ctypes.c_size_t(4096), ctypes.byref(length)) == 0
assert length.value == len(buffer.value) and json.loads(buffer.value)["metadata.missing"] == 1
assert library.dtvr_settle(session, ctypes.c_uint64(60_000)) == 0
counts = Counts(size=ctypes.sizeof(Counts))
assert library.dtvr_get_counts(session, ctypes.byref(counts)) == 0
assert (counts.handed, counts.stored, counts.accepted, counts.held) == (3, 3, 3, 1), vars(counts)
assert library.dtvr_destroy(session, ctypes.c_uint64(60_000)) == 0
assert {code for _, code, _, _ in notices} >= {2001, 2002}, notices
assert all(length == len(message.encode()) for _, _, message, length in notices)
assert len(threads) == 1 and threading.get_ident() not in threads
