/// The symbols used by plots, which differ in shape as well as in color; a page with plots includes them once.
package enum PlotSymbols {
    /// Writes the symbol definitions, which are invisible.
    package static func write(to html: inout HTMLWriter) {
        html.markup("<svg class=\"symbols\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>")
        html.markup("<path id=\"fail\" d=\"M0-6 6 5H-6Z\"/><path id=\"warn\" d=\"M0-5 5 0 0 5-5 0Z\"/>")
        html.markup("<path id=\"source\" d=\"M-4-5 4 0-4 5Z\"/><path id=\"above\" d=\"M0-4 4 3H-4Z\"/>")
        html.markup("<path id=\"below\" d=\"M0 4-4-3H4Z\"/><path id=\"stretch\" d=\"M-7-7H7V7H-7Z\"/>")
        html.markup("<path id=\"dash\" d=\"M0-7V7\"/>")
        html.markup("</defs></svg>")
    }
}
