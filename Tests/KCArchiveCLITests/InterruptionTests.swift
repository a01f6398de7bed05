// Signals, each in a process of its own that they end.

import Glibc
import Testing

@testable import KCArchiveCLI

/// Ends this process by `number` the way the shell would, and waits for it.
private func interrupt(_ number: Int32) {
  // Whatever runs the tests may have switched it off, and then it stays off.
  signal(number, SIG_DFL)
  Interruption.install()
  kill(getpid(), number)
  sleep(10)
}

@Suite struct InterruptionTests {
  @Test("Ctrl-C removes what is unfinished and ends with 130")
  func interrupted() async {
    let folder = TemporaryFolder()
    let (unfinished, finished) = (folder.path + "/unfinished", folder.path + "/finished")
    await #expect(processExitsWith: .exitCode(130)) {
      [unfinished = unfinished as String, finished = finished as String] in
      writeFile(unfinished, [1])
      writeFile(finished, [1])
      let one = Interruption.unlinking(FilePath(unfinished))
      do { _ = Interruption.unlinking(FilePath(finished)) }
      interrupt(SIGINT)
      _ = consume one
    }
    #expect(readFile(unfinished) == nil)
    #expect(readFile(finished) == "\u{1}")
  }

  @Test("A file may be named relative to an open directory")
  func relative() async {
    let folder = TemporaryFolder()
    await #expect(processExitsWith: .exitCode(143)) { [path = folder.path as String] in
      writeFile(path + "/unfinished", [1])
      let directory = unsafe open(path, O_RDONLY | O_DIRECTORY)
      let one = Interruption.unlinking("unfinished", in: directory)
      interrupt(SIGTERM)
      _ = consume one
    }
    #expect(readFile(folder.path + "/unfinished") == nil)
  }

  @Test("Hanging up counts as an interruption")
  func hangup() async {
    await #expect(processExitsWith: .exitCode(130)) { interrupt(SIGHUP) }
  }

  @Test("A signal that was switched off before the program started stays off")
  func ignored() async {
    await #expect(processExitsWith: .exitCode(7)) {
      signal(SIGHUP, SIG_IGN)
      signal(SIGINT, SIG_IGN)
      Interruption.install()
      kill(getpid(), SIGHUP)
      kill(getpid(), SIGINT)
      exit(7)
    }
  }

  @Test("More files than there are slots are no problem")
  func many() async {
    await #expect(processExitsWith: .exitCode(130)) {
      for _ in 0..<3 { watch(40) }
      interrupt(SIGINT)
    }
  }

  @Test("An interrupted prompt gives the terminal its echo back")
  func prompt() async {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .exitCode(130)) { [path = terminal.path as String] in
      guard let prompt = PassphrasePrompt(FilePath(path)) else { exit(1) }
      interrupt(SIGINT)
      _ = consume prompt
    }
    #expect(terminal.echoes)
  }

  @Test("A stopped prompt gives the shell its echo, and takes it again when it goes on")
  func stopped() async {
    let terminal = PseudoTerminal()
    let folder = TemporaryFolder()
    await #expect(processExitsWith: .exitCode(5)) {
      [path = terminal.path as String, seen = folder.path + "/echo" as String] in
      signal(SIGTSTP, SIG_DFL)
      Interruption.install()
      let descriptor = unsafe open(path, O_RDWR | O_NOCTTY)
      guard let prompt = PassphrasePrompt(FilePath(path)) else { exit(1) }
      guard !echoIsOn(descriptor) else { exit(2) }
      // Somebody who looks at the terminal while we are stopped, and wakes us.
      let look = "(sleep 0.3; stty -a -F \(path) | grep -qw -- -echo || touch \(seen); kill -CONT"
      _ = unsafe system("\(look) \(getpid())) &")
      // To this thread, which runs tests and has signals blocked: another one could take it while this
      // one goes on.
      var stop = sigset_t()
      unsafe sigemptyset(&stop)
      unsafe sigaddset(&stop, SIGTSTP)
      unsafe pthread_sigmask(SIG_UNBLOCK, &stop, nil)
      raise(SIGTSTP)
      guard unsafe unlink(seen) == 0 else { exit(3) }
      guard !echoIsOn(descriptor) else { exit(4) }
      _ = consume prompt
      exit(echoIsOn(descriptor) ? 5 : 6)
    }
  }
}

private func watch(_ depth: Int) {
  guard depth > 0 else { return }
  let file = Interruption.unlinking("/nonexistent/file")
  watch(depth - 1)
  _ = consume file
}
