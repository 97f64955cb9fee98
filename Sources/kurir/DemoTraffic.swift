import Domain
import EventLoop
import Glibc
import Simulation

/// The story of a demo's people goes on, over the API like any client.
///
/// They decide by what the server shows, so that they work with whoever tries the demo, too.
enum DemoTraffic {
    /// A day takes ten minutes.
    private static let speed = 80

    /// Begins, on a thread that ends with the process.
    static func begin(at address: String, _ cast: Cast, seed: UInt64) throws {
        _ = try Thread(name: "demo") {
            var stage = ServerStage(StoryServer("http://\(address)"), cast)
            var story = Story(of: cast, Chance(seed: seed))
            var pace = Pace(speed: speed)
            while true {
                pace.wait(until: story.next)
                // Whoever tries the demo may have changed a password, say. The others go on.
                try? story.goOn(&stage)
            }
        }
    }
}
