package import TimedMedia

extension Presentation {
    /// The properties of the presentation that the checks need before segments are read.
    package var outline: PresentationOutline {
        PresentationOutline(
            source: source,
            renditions: renditions.map { rendition in
                let first = rendition.segments.first
                return PresentationOutline.Rendition(
                    name: rendition.uri, audioName: rendition.audioURI,
                    firstMediaSequence: first?.mediaSequence, firstDate: first?.programDateTime,
                    hasSegments: first != nil, isLive: rendition.isLive)
            })
    }
}
