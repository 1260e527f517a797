"""Reads a made stream on its own terms and prints what it finds as JSON: a second pair of eyes, sharing no code.

    python3 read_stream.py DIRECTORY/RENDITION/index.m3u8

Anything that ISO/IEC 13818-1 or the carriage rules of timed ID3 forbid is listed under "problems".
"""
import base64
import json
import os
import re
import struct
import sys

OWNER = re.compile(
    rb"^www\.nielsen\.com/[A-Za-z0-9_-]{22}==/[A-Za-z0-9_-]{22}==/[A-Za-z0-9_-]{167}=/[0-9]{5}/[0-9]{5}/[0-9]{2}$")


def crc32_mpeg2(data):
    crc = 0xFFFFFFFF
    for byte in data:
        for bit in range(7, -1, -1):
            top = crc >> 31 ^ byte >> bit & 1
            crc = crc << 1 & 0xFFFFFFFF ^ (0x04C11DB7 if top else 0)
    return crc


def descriptors(loop):
    found, at = [], 0
    while at < len(loop):
        found.append(loop[at:at + 2 + loop[at + 1]].hex())
        at += 2 + loop[at + 1]
    return found


def pts_of(field):
    return (field[0] >> 1 & 7) << 30 | field[1] << 22 | field[2] >> 1 << 15 | field[3] << 7 | field[4] >> 1


class Reader:
    def __init__(self):
        self.problems, self.tags, self.maps = [], [], set()
        self.counters, self.pes, self.audio_pts = {}, None, None
        self.id3_pid = self.audio_pid = None

    def problem(self, text):
        self.problems.append("%s: %s" % (self.name, text))

    def segment(self, name, data):
        self.name = name
        if len(data) % 188:
            self.problem("no whole packets")
        for at in range(0, len(data), 188):
            self.packet(at, data[at:at + 188])
        self.close()

    def packet(self, at, p):
        if p[0] != 0x47:
            return self.problem("no sync byte at %d" % at)
        pid, start, control, counter = (p[1] & 31) << 8 | p[2], p[1] & 64, p[3] >> 4 & 3, p[3] & 15
        body = p[4:] if control == 1 else p[5 + p[4]:] if control == 3 else b""
        if control & 1 and pid != 0x1FFF:
            if pid in self.counters and counter != (self.counters[pid] + 1) % 16:
                self.problem("counter of PID %d steps from %d to %d" % (pid, self.counters[pid], counter))
            self.counters[pid] = counter
        if pid == 0:
            section = body[1:4 + ((body[2] & 15) << 8 | body[3])]
            if crc32_mpeg2(section):
                self.problem("PAT checksum")
            self.map_pid = (section[10] & 31) << 8 | section[11]
        elif pid == getattr(self, "map_pid", None):
            self.map(body)
        elif pid == self.audio_pid and start:
            self.audio_pts = pts_of(body[9:14])
        elif pid == self.id3_pid:
            if start:
                self.close()
                self.pes = {"at": at, "body": b"", "packets": 0, "last": at - 188, "contiguous": True,
                            "audio": self.audio_pts}
            if self.pes is None:
                return self.problem("a metadata packet without a PES packet")
            self.pes["body"] += body
            self.pes["packets"] += 1
            self.pes["contiguous"] &= self.pes["last"] == at - 188
            self.pes["last"] = at

    def map(self, body):
        length = (body[2] & 15) << 8 | body[3]
        section = body[1:4 + length]
        if crc32_mpeg2(section) or set(body[4 + length:]) - {255}:
            self.problem("PMT checksum or stuffing")
        at = 12 + ((section[10] & 15) << 8 | section[11])
        lines = ["program %d: %s" % (section[3] << 8 | section[4], descriptors(section[12:at]))]
        while at < len(section) - 4:
            pid, more = (section[at + 1] & 31) << 8 | section[at + 2], (section[at + 3] & 15) << 8 | section[at + 4]
            lines.append("%#04x on %d: %s" % (section[at], pid, descriptors(section[at + 5:at + 5 + more])))
            if section[at] == 0x0F:
                self.audio_pid = pid
            if section[at] in (0x15, 0x06):
                self.id3_pid = pid
            at += 5 + more
        self.maps.add("; ".join(lines))

    def close(self):
        pes, self.pes = self.pes, None
        if pes is None:
            return
        b = pes["body"]
        length = b[4] << 8 | b[5]
        if b[:4] != b"\0\0\1\xbd" or length != len(b) - 6 or b[6] != 0x84:
            self.problem("PES header %s of %d bytes" % (b[:9].hex(), len(b)))
        pts = pts_of(b[9:14]) if b[7] == 0x80 else None
        if pts is not None and (b[9] & 0xF1, b[11] & 1, b[13] & 1) != (0x21, 1, 1):
            self.problem("PTS marker bits")
        tag = b[9 + b[8]:]
        self.tags.append({
            "segment": self.name, "pts": pts, "packets": pes["packets"], "contiguous": pes["contiguous"],
            "audio": pes["audio"], "hex": tag.hex(), **self.fields(tag)})

    def fields(self, tag):
        owner = tag[20:269]
        if not OWNER.match(owner):
            return {"owner": None}
        blob = base64.urlsafe_b64decode(owner.split(b"/")[3])
        first, last, stored = struct.unpack(">IIH", blob[115:])
        return {
            "owner": owner.decode(), "sequence": blob[0] << 8 | blob[1], "kind": blob[2], "first": first,
            "last": last, "checksumOK": sum(blob[:123]) & 0xFFFF == stored,
            "frameOK": tag[:20].hex() == "494433040020000002055052495600000" + "17b0000" and tag[269:] == b"\0A"}


def main(playlist):
    reader = Reader()
    for line in open(playlist, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            name = line.strip()
            with open(os.path.join(os.path.dirname(playlist), name), "rb") as file:
                reader.segment(name, file.read())
    print(json.dumps({"maps": sorted(reader.maps), "tags": reader.tags, "problems": reader.problems}))


main(sys.argv[1])
