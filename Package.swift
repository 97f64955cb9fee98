// swift-tools-version: 6.2
import PackageDescription

// The library of libFuzzer. For it everything is instrumented but the tool that the build itself runs.
let libFuzzer = Context.environment["LIBFUZZER"]
let ofTools: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let strict = ofTools + (libFuzzer == nil ? [] : [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])])

// Readers of strangers' bytes are tried by a test. Where libFuzzer is named, it tries the same in a program (make fuzz).
let readers: [Target.Dependency] = [
    "API", "Bulletin", "CLibpq", "Crypto", "Deliveries", "Domain", "Feed", "HTTP", "Observability", "Outbox", "Papers",
    "People", "Pictures", "Postgres",
]
let fuzz: Target =
    if let libFuzzer {
        .executableTarget(
            name: "fuzz", dependencies: readers, path: "Tests/Fuzz", exclude: ["Tests", "corpus"],
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags([libFuzzer]), .linkedLibrary("stdc++"), .linkedLibrary("m")])
    } else {
        .testTarget(
            name: "FuzzTests", dependencies: readers + ["TestSupport"], path: "Tests/Fuzz",
            exclude: ["Fuzzer", "corpus"], swiftSettings: strict)
    }

let package = Package(
    name: "kurir",
    products: [.executable(name: "kurir", targets: ["kurir"])],
    targets: [
        .target(name: "CLinux"),
        .target(name: "CPictures", linkerSettings: ["jpeg", "png", "webp"].map { .linkedLibrary($0) }),
        .systemLibrary(name: "CLibpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CQREncode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CBarcodes", linkerSettings: [.linkedLibrary("ZXing")]),

        .target(
            name: "Schema", path: "sql", resources: [.embedInCode("migrations"), .embedInCode("functions")],
            swiftSettings: strict),
        .target(name: "Web", resources: [.embedInCode("assets")], swiftSettings: strict),
        .executableTarget(name: "embed", path: "Sources/EmbedTool", swiftSettings: ofTools),
        .plugin(
            name: "EmbedPlugin", capability: .buildTool(), dependencies: ["embed"], path: "Sources/EmbedPlugin"),
        .plugin(
            name: "LeafletPlugin", capability: .buildTool(), dependencies: ["embed"], path: "Sources/LeafletPlugin"),
        .target(name: "Languages", exclude: ["Words"], swiftSettings: strict, plugins: ["EmbedPlugin"]),
        .target(name: "Leaflet", swiftSettings: strict, plugins: ["LeafletPlugin"]),
        .target(
            name: "Domain", dependencies: ["Languages"], exclude: ["Commonest/make.py"],
            resources: [.embedInCode("Commonest/table.bin")], swiftSettings: strict),
        .target(name: "EventLoop", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "Postgres", dependencies: ["EventLoop", "CLibpq", "CLinux"], swiftSettings: strict),
        .target(name: "Crypto", dependencies: ["COpenSSL", "EventLoop"], swiftSettings: strict),
        .target(name: "Pictures", dependencies: ["CPictures"], swiftSettings: strict),
        .target(name: "HTTP", dependencies: ["COpenSSL", "EventLoop", "CLinux", "Languages"], swiftSettings: strict),

        .executableTarget(
            name: "bench-server",
            dependencies: ["API", "Domain", "EventLoop", "HTTP", "Observability", "Papers", "Postgres", "Product"],
            path: "Tests/Bench/Server", swiftSettings: strict),
        .systemLibrary(name: "CGD", path: "Tests/CGD", providers: [.apt(["libgd-dev"])]),
        .target(
            name: "TestSupport", dependencies: ["COpenSSL", "Domain", "EventLoop", "Postgres", "Schema"],
            path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "API", dependencies: ["Crypto", "Domain", "EventLoop", "HTTP", "Postgres"], swiftSettings: strict),
        .target(
            name: "Outbox", dependencies: ["API", "Domain", "EventLoop", "HTTP", "Postgres"], swiftSettings: strict),
        .target(name: "Feed", dependencies: ["API", "Domain", "EventLoop", "HTTP", "Postgres"], swiftSettings: strict),
        .target(
            name: "People",
            dependencies: ["API", "Crypto", "Domain", "Feed", "HTTP", "Outbox", "Postgres"],
            swiftSettings: strict),
        .target(
            name: "Deliveries",
            dependencies: [
                "API", "Crypto", "Domain", "EventLoop", "Feed", "HTTP", "Outbox", "People", "Pictures", "Postgres",
            ],
            swiftSettings: strict),
        .target(
            name: "Papers",
            dependencies: [
                "API", "CBarcodes", "CZlib", "Crypto", "Deliveries", "Domain", "EventLoop", "HTTP", "People",
                "Pictures",
                "Postgres",
            ],
            swiftSettings: strict),
        .target(
            name: "Places",
            dependencies: [
                "API", "CSQLite", "Deliveries", "Domain", "EventLoop", "Feed", "HTTP", "Languages", "People",
                "Postgres",
                "Services",
            ],
            swiftSettings: strict),
        .target(
            name: "Talk",
            dependencies: ["API", "Deliveries", "Domain", "EventLoop", "Feed", "HTTP", "Outbox", "Postgres"],
            swiftSettings: strict),
        .target(
            name: "Road", dependencies: ["API", "Deliveries", "Domain", "EventLoop", "Feed", "HTTP", "Postgres"],
            swiftSettings: strict),
        .target(
            name: "Weather",
            dependencies: [
                "API", "Deliveries", "Domain", "EventLoop", "HTTP", "Languages", "Postgres", "Services",
            ],
            swiftSettings: strict),
        .target(
            name: "Bulletin",
            dependencies: ["API", "CXML2", "Domain", "Feed", "HTTP", "Outbox", "Postgres"],
            swiftSettings: strict),
        .target(
            name: "Figures", dependencies: ["API", "Domain", "HTTP", "People", "Postgres"], swiftSettings: strict),
        .target(
            name: "Product",
            dependencies: [
                "API", "Bulletin", "CQREncode", "CZlib", "Crypto", "Deliveries", "Domain", "EventLoop", "Feed",
                "Figures", "HTTP", "Languages", "Leaflet", "Outbox", "Papers", "People", "Places", "Postgres", "Road",
                "Services",
                "Simulation", "Talk", "Weather", "Web",
            ],
            swiftSettings: strict),
        .target(name: "Simulation", dependencies: ["Domain"], swiftSettings: strict),
        .target(name: "Curl", dependencies: ["CCurl", "Crypto", "HTTP"], swiftSettings: strict),
        .target(name: "Services", dependencies: ["Curl", "Domain", "EventLoop", "HTTP"], swiftSettings: strict),
        .target(
            name: "Gateways", dependencies: ["Crypto", "Curl", "Domain", "EventLoop", "HTTP", "Postgres"],
            swiftSettings: strict),
        .target(name: "Observability", dependencies: ["EventLoop", "HTTP", "Postgres"], swiftSettings: strict),
        .executableTarget(
            name: "kurir",
            dependencies: [
                "API", "Bulletin", "CLinux", "Crypto", "Curl", "Deliveries", "Domain", "EventLoop", "Gateways", "HTTP",
                "Observability", "Papers", "Places", "Postgres", "Product", "Road", "Schema", "Services", "Simulation",
            ],
            swiftSettings: strict),

        .testTarget(name: "LanguagesTests", dependencies: ["Domain", "Languages"], swiftSettings: strict),
        .testTarget(name: "DomainTests", dependencies: ["Domain", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "SimulationTests", dependencies: ["Domain", "Simulation"], swiftSettings: strict),
        .testTarget(
            name: "CryptoTests", dependencies: ["COpenSSL", "Crypto", "EventLoop", "TestSupport"], swiftSettings: strict
        ),
        .testTarget(name: "PicturesTests", dependencies: ["CGD", "Pictures"], swiftSettings: strict),
        .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "PostgresTests", dependencies: ["EventLoop", "Postgres", "Schema", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP", "Languages", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "LiveTests", dependencies: ["EventLoop", "HTTP", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "ServicesTests", dependencies: ["Domain", "EventLoop", "HTTP", "Services", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ObservabilityTests", dependencies: ["EventLoop", "HTTP", "Observability"], swiftSettings: strict),
        .testTarget(
            name: "ProductTests",
            dependencies: [
                "API", "Bulletin", "CGD", "CSQLite", "CZlib", "Crypto", "Deliveries", "Domain", "EventLoop", "Feed",
                "Figures", "HTTP",
                "Languages", "Observability", "Outbox", "Papers", "People", "Pictures", "Places", "Postgres", "Product",
                "Road", "Schema", "Services", "Simulation", "Talk", "TestSupport", "Weather", "Web",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "KurirTests",
            dependencies: [
                "kurir", "Crypto", "Curl", "Deliveries", "Domain", "EventLoop", "Gateways", "HTTP", "Observability",
                "Papers", "Postgres", "Product", "TestSupport",
            ],
            swiftSettings: strict),
        fuzz,
    ],
    swiftLanguageModes: [.v6]
)

// The sanitizers look at some tests alone: building what those do not need takes longer than they do.
if let tests = Context.environment["TESTED"] {
    var wanted = Set(tests.split(separator: " ").map(String.init))
    for _ in package.targets {
        wanted.formUnion(package.targets.filter { wanted.contains($0.name) }.flatMap(\.needed))
    }
    package.targets.removeAll { !wanted.contains($0.name) }
    package.products = []
}

extension Target {
    /// The targets that it names itself.
    fileprivate var needed: [String] {
        let libraries = dependencies.compactMap { dependency -> String? in
            if case .byNameItem(let name, _) = dependency { name } else { nil }
        }
        let tools = (plugins ?? []).compactMap { usage -> String? in
            if case .plugin(let name, _) = usage { name } else { nil }
        }
        return libraries + tools
    }
}
