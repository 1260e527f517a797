"""Reads ID3 tags with mutagen. Each input line is a tag in hexadecimal; each output line has its frames as JSON.

An output line is a list of [id, owner, data], with the data in hexadecimal, or "unreadable".
"""
import io
import json
import sys

import mutagen
import mutagen.id3

for line in sys.stdin:
    try:
        tag = mutagen.id3.ID3(io.BytesIO(bytes.fromhex(line)))
        print(json.dumps([[frame.FrameID, frame.owner, frame.data.hex()] for frame in tag.values()]))
    except mutagen.MutagenError:
        print(json.dumps("unreadable"))
