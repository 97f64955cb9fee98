import HTTP

/// The phone apps that open invites' links, as their systems ask for them.
package struct MobileApps: Sendable {
    private let apple: [String]
    private let android: [(package: String, fingerprint: String)]

    /// `apple` are app ids as `TEAM.bundle.id`, `android` packages with their signing certificate's SHA-256.
    package init(apple: [String] = [], android: [(package: String, fingerprint: String)] = []) {
        self.apple = apple
        self.android = android
    }

    var appleAssociation: JSON {
        let detail = JSON.object([
            "appIDs": .array(apple.map(JSON.string)), "components": .array([.object(["/": .string("/i/*")])]),
        ])
        return .object(["applinks": .object(["details": .array(apple.isEmpty ? [] : [detail])])])
    }

    var androidLinks: JSON {
        .array(
            android.map { app in
                .object([
                    "relation": .array([.string("delegate_permission/common.handle_all_urls")]),
                    "target": .object([
                        "namespace": .string("android_app"), "package_name": .string(app.package),
                        "sha256_cert_fingerprints": .array([.string(app.fingerprint)]),
                    ]),
                ])
            })
    }
}
