// hls.js hands the tags of a stream to a measurement session; README.md says why it does so as it does.
import Hls from "./hls.js";

const video = document.querySelector("video");
const session = NOLBUNDLE.nlsQ("T0000D7A1-0000-4000-8000-00000000D7A1", "player", {
    appname: "Browser example", appversion: "1.0", sfcode: "us",
});
const metadata = {
    type: "content", assetid: "HARBOUR0205", program: "Harbour Lights", title: "Series 2 Episode 5", length: "3600",
    airdate: "20260110 20:00:00", isfullepisode: "y", adloadtype: "1", channelName: "Harbour TV",
};
const hls = new Hls();

// The tags that were read, by their time on the video's timeline.
const tags = [];
// What the session was told last: "stopped", also before the beginning, "paused" or "playing".
let state = "stopped";
// Where playback went on after it was stopped: what lies before is not going to be presented.
let begin = 0;
// Where playback was before the user jumped.
let position = 0;
// What the video's time is counted from: Unix time for a live stream, whose playhead is told so.
let epoch = 0;
// The clocks of sound, picture and tags differ by less.
const tolerance = 0.5;

function handOver(tag) {
    if (tag.time >= begin - tolerance) session.ggPM("sendID3", tag.bytes, epoch + tag.time);
}

// Whole ID3 tags with their times, as soon as hls.js has read a segment.
hls.on(Hls.Events.FRAG_PARSING_METADATA, (_, { frag, details, samples }) => {
    if (epoch === 0 && details?.live && frag.programDateTime) epoch = frag.programDateTime / 1000 - frag.start;
    for (const { data, pts } of samples) {
        // hls.js goes on to change its buffers.
        const tag = { time: pts, bytes: data.slice() };
        // Sound and picture have the same ones, each in its segments, and a segment may be read again.
        const isKnown = tags.some((other) =>
            Math.abs(other.time - tag.time) < tolerance && other.bytes.join() === tag.bytes.join());
        if (isKnown) continue;
        tags.push(tag);
        tags.sort((one, other) => one.time - other.time);
        if (state !== "stopped") handOver(tag);
    }
    // Of a live stream, what nobody can go back to.
    const start = video.seekable.length > 0 ? video.seekable.start(0) : 0;
    while (tags.length > 0 && tags[0].time < start - 60) tags.shift();
});

function goOn() {
    if (video.paused || video.seeking || state === "playing") return;
    const wasStopped = state === "stopped";
    state = "playing";
    session.ggPM("loadMetadata", metadata);
    session.ggPM("setPlayheadPosition", epoch + video.currentTime);
    if (!wasStopped) return;
    // hls.js reads no segment twice that it still has: what lies ahead is handed over again.
    begin = position = video.currentTime;
    tags.forEach(handOver);
}

video.addEventListener("playing", goOn);
video.addEventListener("seeked", goOn);
video.addEventListener("timeupdate", () => {
    if (!video.seeking) position = video.currentTime;
});
video.addEventListener("pause", () => {
    // One comes before the end, too.
    if (state !== "playing" || video.ended || video.seeking) return;
    state = "paused";
    session.ggPM("pause", epoch + video.currentTime);
});
// A jump: what was handed over and is not reached yet may never be. That of hls.js to where a live stream is comes before
// the beginning.
video.addEventListener("seeking", () => {
    if (state === "stopped") return;
    state = "stopped";
    session.ggPM("stop", epoch + position);
});
video.addEventListener("ended", () => {
    state = "stopped";
    session.ggPM("end", epoch + video.currentTime);
});
setInterval(() => {
    if (state === "playing" && !video.seeking) session.ggPM("setPlayheadPosition", epoch + video.currentTime);
}, 1000);

hls.loadSource("stream/index.m3u8");
hls.attachMedia(video);
// Muted, it may begin by itself.
hls.on(Hls.Events.MANIFEST_PARSED, () => video.play().catch(() => {}));
// For the console.
window.hls = hls;
