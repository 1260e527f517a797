// Passes the tags of a stream from hls.js to a measurement session; README.md explains the design.
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
// The state last reported to the session: "playing", "paused" or, also initially, "stopped".
let state = "stopped";
// The position where playback last started; earlier tags will not be presented.
let begin = 0;
// The playback position before a seek.
let position = 0;
// The offset from the video's time to playheads: for live streams, playheads are Unix times.
let epoch = 0;
// The clocks of audio, video and tags differ by less than this many seconds.
const tolerance = 0.5;

// The playhead of a position: the guides ask for whole seconds.
function playhead(at = video.currentTime) {
    return Math.floor(epoch + at);
}

function handOver(tag) {
    if (tag.time >= begin - tolerance) session.ggPM("sendID3", tag.bytes, epoch + tag.time);
}

// hls.js sends this event after reading a segment, with the complete ID3 tags and their times.
hls.on(Hls.Events.FRAG_PARSING_METADATA, (_, { frag, details, samples }) => {
    if (epoch === 0 && details?.live && frag.programDateTime) epoch = frag.programDateTime / 1000 - frag.start;
    for (const { data, pts } of samples) {
        // Copies the bytes, because hls.js reuses its buffers.
        const tag = { time: pts, bytes: data.slice() };
        // Audio and video segments carry the same tags, and hls.js may read a segment again.
        const isKnown = tags.some((other) =>
            Math.abs(other.time - tag.time) < tolerance && other.bytes.join() === tag.bytes.join());
        if (isKnown) continue;
        tags.push(tag);
        tags.sort((one, other) => one.time - other.time);
        if (state !== "stopped") handOver(tag);
    }
    // Removes tags of a live stream that are too old to seek to.
    const start = video.seekable.length > 0 ? video.seekable.start(0) : 0;
    while (tags.length > 0 && tags[0].time < start - 60) tags.shift();
});

function goOn() {
    if (video.paused || video.seeking || state === "playing") return;
    const wasStopped = state === "stopped";
    state = "playing";
    session.ggPM("loadMetadata", metadata);
    session.ggPM("setPlayheadPosition", playhead());
    if (!wasStopped) return;
    // hls.js does not read buffered segments again, so this sends the tags ahead again.
    begin = position = video.currentTime;
    tags.forEach(handOver);
}

video.addEventListener("playing", goOn);
video.addEventListener("seeked", goOn);
video.addEventListener("timeupdate", () => {
    if (!video.seeking) position = video.currentTime;
});
video.addEventListener("pause", () => {
    // The event also occurs before the end.
    if (state !== "playing" || video.ended || video.seeking) return;
    state = "paused";
    session.ggPM("pause", playhead());
});
// On a seek, tags ahead of the playhead may never be presented, so this stops the session. The initial seek of hls.js
// to the live edge comes before playback starts.
video.addEventListener("seeking", () => {
    if (state === "stopped") return;
    state = "stopped";
    session.ggPM("stop", playhead(position));
});
video.addEventListener("ended", () => {
    state = "stopped";
    session.ggPM("end", playhead());
});
setInterval(() => {
    if (state === "playing" && !video.seeking) session.ggPM("setPlayheadPosition", playhead());
}, 1000);

hls.loadSource("stream/index.m3u8");
hls.attachMedia(video);
// Browsers allow autoplay of muted video.
hls.on(Hls.Events.MANIFEST_PARSED, () => video.play().catch(() => {}));
// For use in the console.
window.hls = hls;
