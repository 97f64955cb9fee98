/// Leaflet (BSD-2-Clause), which draws maps in pages.
public enum Leaflet {
    /// Its module for browsers, with its licence in front.
    public static let script = file("leaflet.esm.min.js")
    /// Its style.
    public static let style = file("leaflet.css")

    private static func file(_ name: String) -> [UInt8] { Embedded.files.first { $0.path == name }?.bytes ?? [] }
}
