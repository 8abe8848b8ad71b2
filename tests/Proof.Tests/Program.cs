using Raceway.Proof.Tests.Misuse;
using Xunit.Runner.InProc.SystemConsole;

// `misuse …` is the child of the tier that must survive an abort. Everything else is for the runner of the tests.
return args is ["misuse", .. string[] rest] ? MisuseProgram.Run(rest) : await ConsoleRunner.Run(args);
