import Crypto
import Deliveries
import EventLoop
import Papers

extension Composition {
    /// Threads for what burns a core or blocks: passwords, pictures, codes in pictures, couriers' papers, and the
    /// order of their stops.
    struct WorkThreads: Sendable {
        let hasher: PasswordHasher
        let pictures: PictureIntake
        let scans: PictureIntake
        let papers: PaperReader
        let routes: BlockingPool

        init(_ settings: Settings) throws {
            hasher = try PasswordHasher(
                threads: settings.hashingThreads, patience: .seconds(settings.looseness == nil ? 25 : 3))
            pictures = try PictureIntake("pictures", waiting: 32, mostOfOne: 4)
            // Looking for codes takes longer, and whoever waits for the last place wants to be answered before the deadline.
            scans = try PictureIntake("scans", waiting: 16, mostOfOne: 1)
            papers = try PaperReader()
            routes = try BlockingPool(name: "routes", threads: 1, waiting: 64, priority: .background)
        }

        /// Waits for the threads, so it is not called on a loop.
        func stop() {
            hasher.stop()
            pictures.stop()
            scans.stop()
            papers.stop()
            routes.stop()
        }
    }
}
