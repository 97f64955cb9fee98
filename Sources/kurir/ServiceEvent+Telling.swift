import Observability
import Services

extension ServiceEvent {
    /// What operators see of it.
    var told: ProcessEvent {
        switch outcome {
        case .answered: .asked(service, outcome: "answered", news: isNews ? "it answers again" : nil)
        case .refused: .asked(service, outcome: "refused", news: nil)
        case .failed(let reason): .asked(service, outcome: "failed", news: isNews ? reason : nil)
        }
    }
}
