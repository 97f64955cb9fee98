import Foundation
import PackagePlugin

/// Embeds Leaflet, as the system's package has it, in the code: so that the binary needs no package where it runs, and there is no
/// copy in the repository.
@main struct LeafletPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let directory = URL(filePath: "/usr/share/javascript/leaflet")
        let files = ["leaflet.css", "leaflet.esm.min.js"].map { directory.appending(path: $0) }
        let output = context.pluginWorkDirectoryURL.appending(path: "Embedded.swift")
        return [
            .buildCommand(
                displayName: "Embedding Leaflet (libjs-leaflet)", executable: try context.tool(named: "embed").url,
                arguments: [directory.path, output.path] + files.map(\.path), inputFiles: files, outputFiles: [output])
        ]
    }
}
