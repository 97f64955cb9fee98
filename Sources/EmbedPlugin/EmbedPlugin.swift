import Foundation
import PackagePlugin

/// Embeds the texts (`.txt`) of a target's folder in the code: `Embedded.files`, by path.
@main struct EmbedPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let directory = target.directoryURL
        let output = context.pluginWorkDirectoryURL.appending(path: "Embedded.swift")
        let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL }
            .filter { !$0.hasDirectoryPath && $0.pathExtension == "txt" }
            .sorted { $0.path < $1.path }
        return [
            .buildCommand(
                displayName: "Embedding the files of \(target.name)",
                executable: try context.tool(named: "embed").url,
                arguments: [directory.path, output.path] + (files ?? []).map(\.path),
                inputFiles: files ?? [], outputFiles: [output])
        ]
    }
}
