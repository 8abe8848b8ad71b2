using Raceway.Journal.Tests.RealFaults;
using Xunit.Runner.InProc.SystemConsole;

// `writer FOLDER` is a process that tests kill. Everything else is for the runner of the tests.
return args is [WriterProcess.Word, string folder] ? WriterProcess.Write(folder) : await ConsoleRunner.Run(args);
