// Big values use all cores: chunks are read in order by whichever worker is free, worked on at the same
// time, and written in order. Tickets keep the order; nothing else is shared.

internal import Glibc

/// Hands out tickets while input lasts and lets their holders write in the order of tickets.
@safe final class OrderedWork: @unchecked Sendable {
  /// Held while input is read, so that tickets are handed out in its order; writing goes on meanwhile.
  private let reading = Lock()
  private var nextTicket = 0
  private var inputHasEnded = false

  /// Held for looking at `turn` and `failure` only.
  private let state = Lock()
  private var turn = 0
  private var failure: ContainerError?

  /// What `read` found: whether the input goes on behind it.
  enum Input {
    case more
    case last
    case none
  }

  /// Reads the next input; only one worker reads at a time.
  ///
  /// - Returns: the input's ticket, or nil when all has been read or something failed.
  func takeTicket(_ read: (Int) throws(ContainerError) -> Input) -> Int? {
    reading.lock()
    defer { reading.unlock() }
    guard !inputHasEnded, !hasFailed else { return nil }
    do throws(ContainerError) {
      switch try read(nextTicket) {
      case .more: break
      case .last: inputHasEnded = true
      case .none:
        inputHasEnded = true
        return nil
      }
    } catch {
      fail(error)
      return nil
    }
    defer { nextTicket += 1 }
    return nextTicket
  }

  /// Waits for the ticket's turn and writes. After a failure nothing is written any more.
  func inTurn(_ ticket: Int, _ write: () throws(ContainerError) -> Void) {
    state.lock()
    while turn != ticket, failure == nil { state.wait() }
    let isStopped = failure != nil
    state.unlock()
    if isStopped { return }
    do throws(ContainerError) {
      try write()
    } catch {
      fail(error)
      return
    }
    state.lock()
    turn += 1
    state.signalAll()
    state.unlock()
  }

  /// Stops all workers; the first failure is the one that counts.
  func fail(_ error: ContainerError) {
    state.lock()
    failure = failure ?? error
    state.signalAll()
    state.unlock()
  }

  private var hasFailed: Bool {
    state.lock()
    defer { state.unlock() }
    return failure != nil
  }

  /// Runs `worker` on as many threads as there are cores (at most `limit`), this one among them, and
  /// gives back the first failure.
  func run(limit: Int, _ worker: @escaping @Sendable () -> Void) throws(ContainerError) {
    let count = limit > 1 ? max(1, min(limit, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN))))) : 1
    var threads: [pthread_t] = []
    for _ in 1..<count {
      var thread = pthread_t()
      let context = unsafe Unmanaged.passRetained(WorkerContext(worker))
      let status = unsafe pthread_create(
        &thread, nil,
        { context in
          unsafe Unmanaged<WorkerContext>.fromOpaque(context!).takeRetainedValue().run()
          return nil
        }, context.toOpaque())
      // Fewer threads do the same work.
      guard status == 0 else {
        unsafe context.release()
        break
      }
      threads.append(thread)
    }
    worker()
    for thread in threads { pthread_join(thread, nil) }
    state.lock()
    defer { state.unlock() }
    if let failure { throw failure }
  }
}

/// A mutex with a condition.
@safe private final class Lock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(condition, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe pthread_cond_destroy(condition)
    unsafe mutex.deallocate()
    unsafe condition.deallocate()
  }

  func lock() { unsafe pthread_mutex_lock(mutex) }
  func unlock() { unsafe pthread_mutex_unlock(mutex) }
  func wait() { unsafe pthread_cond_wait(condition, mutex) }
  func signalAll() { unsafe pthread_cond_broadcast(condition) }
}

/// What a thread is given to run.
private final class WorkerContext {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}
