"""Reads ID3 tags with mutagen: a tag a line in hexadecimal on standard input, its frames a line as JSON.

A line of the output is a list of [id, owner, data] with data in hexadecimal, or "unreadable".
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
