import Testing
import TextForms

/// The expected texts follow the Prometheus text format, version 0.0.4.
@Suite struct PrometheusTextTests {
    private func text(_ write: (inout PrometheusText) -> Void) -> String {
        var text = PrometheusText(capacity: 0)
        write(&text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    @Test func buckets_areCumulative_andIncludeTheirBound() {
        var times = Histogram(bounds: [0.5, 10])
        for seconds in [0.25, 0.5, 0.75, 10, 11.5] { times.observe(seconds) }
        let written = text {
            $0.begin("dtvr_x_seconds", .histogram, "Times.")
            $0.samples(.none, times)
        }
        #expect(
            written == """
                # HELP dtvr_x_seconds Times.
                # TYPE dtvr_x_seconds histogram
                dtvr_x_seconds_bucket{le="0.5"} 2
                dtvr_x_seconds_bucket{le="10"} 4
                dtvr_x_seconds_bucket{le="+Inf"} 5
                dtvr_x_seconds_sum 23
                dtvr_x_seconds_count 5

                """)
    }

    @Test func labels_areSeparatedByCommas_andEscaped() {
        let labels = PrometheusText.Labels("id", #"a\b"c"#).adding("name", "one\ntwo\r\nthree")
        let written = text {
            $0.begin("dtvr_x", .gauge, "A value.")
            $0.sample(labels, 3)
        }
        #expect(
            written.hasSuffix(
                "dtvr_x{id=\"a\\\\b\\\"c\",name=\"one\\ntwo\r\\nthree\"} 3\n"))
    }

    @Test(arguments: [
        (1.0, "1"), (0.1, "0.1"), (-2.5, "-2.5"), (.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"),
        (1e18, "1000000000000000000"), (1e300, "1e+300"),
    ])
    func numbers_haveTheirShortestForm(value: Double, form: String) {
        let written = text {
            $0.begin("dtvr_x", .counter, "A value.")
            $0.sample(.none, value)
        }
        #expect(written.hasSuffix("\ndtvr_x \(form)\n"))
    }
}
