internal import KCArchiveCLI

Program.main()
