"""Prints a Markdown table of the tags that ffprobe and dtvr read from each of the probe files. A probe file is a
transport stream with one difficulty; a second file lists the tags that a correct reader returns.

    Scripts/probes.py [FOLDER]     default: the folder "probes" of the reference files (DTVR_CORPUS)
"""

import argparse
import glob
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

root = pathlib.Path(__file__).resolve().parent.parent


def ffprobe_packets(path):
    """Returns the PTS and bytes of each packet of the timed ID3 stream."""
    command = ["ffprobe", "-v", "error", "-select_streams", "d", "-show_packets", "-show_data", "-of", "json", path]
    packets = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["packets"]
    return [(packet.get("pts"), dumped_bytes(packet.get("data", ""))) for packet in packets]


def dumped_bytes(dump):
    """Returns the bytes of a hexadecimal dump in ffprobe's format: address, up to 40 characters of digits, text."""
    return b"".join(bytes.fromhex(line[10:50]) for line in dump.splitlines() if line)


def whole_tags(data):
    """Returns the number of complete ID3v2 tags in the bytes, contiguous or not."""
    count, position = 0, data.find(b"ID3")
    while position >= 0:
        header = data[position:position + 10]
        end = position + 1
        if len(header) == 10 and header[3] in (2, 3, 4) and all(byte < 128 for byte in header[6:]):
            size = sum(byte << shift for byte, shift in zip(header[6:], (21, 14, 7, 0)))
            total = 10 + size + (10 if header[5] & 0x10 else 0)
            if position + total <= len(data):
                count, end = count + 1, position + total
        position = data.find(b"ID3", end)
    return count


def dtvr_tags(tool, path):
    """Returns the PTS and owner of each tag, and whether it is complete."""
    lines = subprocess.run(
        [tool, "scan", "--format", "jsonl", path], check=True, capture_output=True, text=True).stdout
    tags = [json.loads(line) for line in lines.splitlines()]
    return [(tag["pts"], tag["owner"], "carriage.pes-incomplete" not in tag["problems"]) for tag in tags]


def times(values):
    return ", ".join("none" if value is None else str(value) for value in values) or "-"


def main(folder, tool):
    version = subprocess.run(["ffprobe", "-version"], check=True, capture_output=True, text=True).stdout.split()[2]
    ours = subprocess.run([tool, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    print("# Probe files\n")
    print("Each probe file is a transport stream with one difficulty. A second file lists the tags that a")
    print("correct reader finds. The table compares what ffprobe and dtvr find.\n")
    print(f"`Scripts/probes.py` made it on {time.strftime('%Y-%m-%d', time.gmtime())}, with ffprobe {version}")
    print(f"(`-show_packets -show_data`) and dtvr {ours} (`dtvr scan --format jsonl`), on {platform.machine()},")
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    print(f"{os.cpu_count()} cores, {system}. Times are PTS in units of 1/90 000 s.\n")
    print("- *Right*: the tags that are complete in the file, with the time of the PES packet in")
    print("  which each starts.")
    print("- *ffprobe*: its packets, those that start with `ID3`, and the complete tags in them.")
    print("- *dtvr*: the tags that it reports as complete, and as partial.")
    print("- *Agrees*: the complete tags of dtvr have the right owners and times, in the right order.\n")
    print("| probe | right tags | right times | ffprobe packets | with `ID3` first | whole tags | ffprobe times "
          "| dtvr whole | partial | dtvr times | agrees |")
    print("|---|--:|---|--:|--:|--:|---|--:|--:|---|---|")
    totals = [0] * 6
    disagreements = 0
    for path in sorted(glob.glob(os.path.join(folder, "*.ts"))):
        name = os.path.basename(path)[:-3]
        with open(path[:-3] + ".truth.json", encoding="utf-8") as file:
            truth = [(tag["pts"], tag["owner"]) for tag in json.load(file)["tags"]]
        packets = ffprobe_packets(path)
        tags = dtvr_tags(tool, path)
        whole = [(pts, owner) for pts, owner, is_whole in tags if is_whole]
        agrees = whole == truth
        disagreements += not agrees
        counts = [
            len(truth), len(packets), sum(data.startswith(b"ID3") for _, data in packets),
            sum(whole_tags(data) for _, data in packets), len(whole), len(tags) - len(whole),
        ]
        totals = [total + count for total, count in zip(totals, counts)]
        number, _, what = name.partition("_")
        cells = [
            f"{number} {what.replace('_', ' ')}", counts[0], times(pts for pts, _ in truth), counts[1], counts[2],
            counts[3], times(pts for pts, _ in packets), counts[4], counts[5], times(tag[0] for tag in tags),
            "yes" if agrees else "**no**",
        ]
        print("| " + " | ".join(map(str, cells)) + " |")
    print(f"| **all** | {totals[0]} | | {totals[1]} | {totals[2]} | {totals[3]} | | {totals[4]} | {totals[5]} | | |")
    return 1 if disagreements else 0


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument(
    "folder", metavar="FOLDER", nargs="?", default=f"{os.environ.get('DTVR_CORPUS', root / '../shared/corpus')}/probes")
folder = parser.parse_args().folder
if not os.path.isdir(folder):
    sys.exit(f"{folder} not found: set DTVR_CORPUS to the folder of the reference files.")
subprocess.run(["swift", "build", "--product", "dtvr"], cwd=root, check=True, stdout=sys.stderr)
sys.exit(main(folder, root / ".build/debug/dtvr"))
