using System.Runtime.InteropServices;
using Raceway.Lab.Cli;

using var interrupt = new CancellationTokenSource();

// The first signal ends the work in good order; a second one ends the process, should something not listen.
void Stop(PosixSignalContext context)
{
    context.Cancel = !interrupt.IsCancellationRequested;
    interrupt.Cancel();
}

using PosixSignalRegistration onInterrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration onTerminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);

int code = RacewayTool.Invoke(args, ToolConsole.OfProcess(), cancellation: interrupt.Token);

// Not by returning: a thread of a contestant that never ends may be left.
Environment.Exit(code);
return code;
