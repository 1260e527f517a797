"""Reads a synthetic stream with independent code, and prints its content as JSON.

    python3 read_stream.py DIRECTORY/RENDITION/index.m3u8

Supports transport streams, fragmented MP4 and packed audio. Violations of ISO/IEC 13818-1, ISO/IEC 14496-12 and the
carriage rules of timed ID3 are listed under "problems". Tags are decoded completely: two tags with equal fields have
the same bytes.
"""
import base64
import hashlib
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


def sync_safe(field):
    return field[0] << 21 | field[1] << 14 | field[2] << 7 | field[3]


def id3_defect(tag):
    """Returns the first violation of ID3v2.4.0 in a tag, or None."""
    if tag[:5] != b"ID3\4\0" or tag[5] & 0x0F or max(tag[6:10]) > 127:
        return "header"
    if sync_safe(tag[6:10]) != len(tag) - 10:
        return "tag size %d, %d bytes follow" % (sync_safe(tag[6:10]), len(tag) - 10)
    at = 10
    while at < len(tag):
        frame = tag[at:at + 10]
        if len(frame) < 10 or not re.match(rb"[A-Z0-9]{4}", frame) or max(frame[4:8]) > 127:
            return "frame header at %d" % at
        at += 10 + sync_safe(frame[4:8])
        if at > len(tag):
            return "frame size %d beyond the end" % sync_safe(frame[4:8])
        if frame[:4] == b"PRIV" and b"\0" not in tag[at - sync_safe(frame[4:8]):at]:
            return "owner identifier without terminator"
    return None


def fields(tag):
    """Returns all bytes of a tag, decoded into fields."""
    found = {"length": len(tag), "header": tag[:20].hex(), "id3": id3_defect(tag), "hex": tag.hex(), "owner": None}
    end = tag.find(b"\0", 20)
    pieces = tag[20:end].split(b"/")
    if end < 0 or [len(piece) for piece in pieces] != [15, 24, 24, 168, 5, 5, 2]:
        return {**found, "rest": tag[20:].hex()}
    owner, blob = tag[20:end], base64.urlsafe_b64decode(pieces[3])
    if base64.urlsafe_b64encode(blob) != pieces[3]:
        return {**found, "rest": tag[20:].hex()}
    first, last, stored = struct.unpack(">IIH", blob[115:])
    return {
        **found, "owner": owner.decode("latin-1") if OWNER.match(owner) else None, "site": pieces[0].decode("latin-1"),
        "pc": pieces[1].decode("latin-1"), "fd": pieces[2].decode("latin-1"), "sequence": blob[0] << 8 | blob[1],
        "kind": blob[2], "blocks": blob[3:115].hex(), "first": first, "last": last, "checksum": stored,
        "checksumOK": sum(blob[:123]) & 0xFFFF == stored, "pcOffset": pieces[4].decode("latin-1"),
        "fdOffset": pieces[5].decode("latin-1"), "breakout": pieces[6].decode("latin-1"), "tail": tag[end:].hex(),
        "frameOK": tag[:20].hex() == "494433040020000002055052495600000" + "17b0000" and tag[269:] == b"\0A"}


def boxes(data):
    """Yields the type and body of each box."""
    at = 0
    while at < len(data):
        size = struct.unpack(">I", data[at:at + 4])[0]
        if size < 8 or at + size > len(data):
            raise ValueError("box of %d bytes at %d" % (size, at))
        yield data[at + 4:at + 8].decode("latin-1"), data[at + 8:at + size]
        at += size


def box(data, *path):
    """Returns the first box at a path."""
    for name in path:
        data = next(body for kind, body in boxes(data) if kind == name)
    return data


class Reader:
    def __init__(self):
        self.problems, self.tags, self.maps, self.sound = [], [], set(), hashlib.sha256()
        self.counters, self.pes, self.audio_pts = {}, None, None
        self.id3_pid = self.audio_pid = self.clock = self.fragment_number = None

    def problem(self, text):
        self.problems.append("%s: %s" % (self.name, text))

    def segment(self, name, data):
        self.name = name
        if name.endswith(".m4s"):
            return self.fragment(data)
        if name.endswith(".aac"):
            return self.packed_audio(data)
        if len(data) % 188:
            self.problem("size not a multiple of 188")
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
        if control & 2 and p[4] and p[5] & 16:
            base = int.from_bytes(p[6:11], "big") >> 7
            if self.clock is not None and not 0 < (base - self.clock) % 2**33 <= 9000:
                self.problem("clock reference %d after %d" % (base, self.clock))
            self.clock = base
        if pid == 0:
            section = body[1:4 + ((body[2] & 15) << 8 | body[3])]
            if crc32_mpeg2(section):
                self.problem("PAT checksum")
            self.map_pid = (section[10] & 31) << 8 | section[11]
        elif pid == getattr(self, "map_pid", None):
            self.map(body)
        elif pid == self.audio_pid:
            if start:
                self.audio_pts = pts_of(body[9:14])
                if not 0 < (self.audio_pts - self.clock) % 2**33 <= 90000:
                    self.problem("audio at %d with the clock at %d" % (self.audio_pts, self.clock))
            self.sound.update(body[9 + body[8]:] if start else body)
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
            "audio": pes["audio"], "pes": b[:9].hex(), **fields(tag)})

    def initialization(self, data):
        """Reads the timescale of the first track, which applies to all times of its fragments."""
        header = box(data, "moov", "trak", "mdia", "mdhd")
        self.timescale = struct.unpack(">I", header[20:24] if header[0] else header[12:16])[0]

    def fragment(self, data):
        time = box(data, "moof", "traf", "tfdt")
        start = struct.unpack(">Q", time[4:12])[0] if time[0] else struct.unpack(">I", time[4:8])[0]
        number = struct.unpack(">I", box(data, "moof", "mfhd")[4:8])[0]
        if self.fragment_number is not None and number != self.fragment_number + 1:
            self.problem("fragment %d after %d" % (number, self.fragment_number))
        self.fragment_number = number
        if not re.fullmatch("styp (emsg )*moof mdat( free)?", " ".join(kind for kind, _ in boxes(data))):
            self.problem("order of the boxes")
        for kind, body in boxes(data):
            if kind == "mdat":
                self.sound.update(body)
            if kind == "emsg":
                self.event(body, start * 90000 // self.timescale)

    def event(self, body, start):
        if body[0] == 1:
            timescale, time, duration, number = struct.unpack(">IQII", body[4:24])
            scheme, value, message = body[24:].split(b"\0", 2)
        else:
            scheme, value, rest = body[4:].split(b"\0", 2)
            timescale, delta, duration, number = struct.unpack(">IIII", rest[:16])
            message, time = rest[16:], start + delta
        if body[0] > 1 or body[1:4] != b"\0\0\0" or timescale != 90000:
            self.problem("emsg of version %d, timescale %d" % (body[0], timescale))
        self.tags.append({
            "segment": self.name, "pts": time, "audio": start, "scheme": scheme.decode(), "value": value.decode(),
            "version": body[0], "id": number, "eventDuration": duration, **fields(message)})

    def packed_audio(self, data):
        at, frames, start = 0, 0, None
        while at < len(data):
            if data[at:at + 3] == b"ID3":
                tag = data[at:at + 10 + sync_safe(data[at + 6:at + 10])]
                at += len(tag)
                if at == len(tag):
                    owner = b"com.apple.streaming.transportStreamTimestamp\0"
                    if tag[:65] != b"ID3\4\0\0\0\0\0\x3fPRIV\0\0\0\x35\0\0" + owner:
                        self.problem("no timestamp at the start")
                    start = struct.unpack(">Q", tag[65:])[0]
                    continue
                self.tags.append({
                    "segment": self.name, "pts": (start + 1920 * frames) % 2**33, "audio": start, **fields(tag)})
            elif data[at] == 0xFF and data[at + 1] == 0xF1:
                length = (data[at + 3] & 3) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
                self.sound.update(data[at:at + length])
                at, frames = at + length, frames + 1
            else:
                return self.problem("neither a tag nor sound at %d" % at)
        if at > len(data):
            self.problem("ends inside a frame or a tag")


def main(playlist):
    reader = Reader()
    directory = os.path.dirname(playlist)
    with open(playlist, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in lines:
        prefix = '#EXT-X-MAP:URI="'
        name = line[len(prefix):-1] if line.startswith(prefix) else line.strip()
        if not name or name.startswith("#"):
            continue
        with open(os.path.join(directory, name), "rb") as file:
            data = file.read()
        if line.startswith(prefix):
            reader.initialization(data)
        else:
            reader.segment(name, data)
    print(json.dumps({
        "maps": sorted(reader.maps), "tags": reader.tags, "problems": reader.problems, "playlist": lines,
        "sound": reader.sound.hexdigest()}))


main(sys.argv[1])
