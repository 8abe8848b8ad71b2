using Raceway.Lab.Tests.Suites.JournalSuite;
using Xunit.Runner.InProc.SystemConsole;

// `acknowledge LOG FOLDER MARKS` is a process that a test traces. Everything else is for the runner of the tests.
return args is [TracedLog.Word, string log, string folder, string marks]
    ? TracedLog.Run(log, folder, marks)
    : await ConsoleRunner.Run(args);
