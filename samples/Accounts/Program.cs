using Accounts;

// An account service in the shape that LMAX made known: business logic on one thread, in memory, and a journal before it.
//
//                  ┌─> journal ────┐
//   commands ──────┤               ├──> logic ──> output ──> snapshot
//   (by offset)    └─> replicate ──┘
//                          └─ link ─> journal ──> logic      (the replica)
//
// Kill it at any moment (kill -9) and start it again: it reaches the same state, and each reply is in the output once.
//
// - Input: commands have an offset. The journal stores it, so a restart knows where to read on. A file stands for the broker.
// - Journal beside replicate: logic sees a command when it is on the disk, and when the link has it.
// - Output: a line per reply. The replay makes replies again; the offset tells which are there already.
// - Snapshot: saved when the output and the replica have all that lies before it, so a replay may begin there.
//
//   dotnet run -c Release --project samples/Accounts                    a run without interruption, a run killed 5 times, compared
//   dotnet run -c Release --project samples/Accounts -- run FOLDER      the service: works off all commands, then ends
//   dotnet run -c Release --project samples/Accounts -- verify FOLDER   whether state and output are right, at any time
//
// Over RabbitMQ, for the input and for the replica, if RACEWAY_RABBIT_NODES names its nodes:
//   tests/Interop.Tests/RabbitMq/broker.sh with 1 dotnet run -c Release --project samples/Accounts
try
{
    switch (args)
    {
        case ["run", var folder]:
            await Service.RunAsync(Path.GetFullPath(folder));
            return 0;
        case ["feed", var folder]:
            await Rabbit.FeedAsync(Path.GetFullPath(folder));
            return 0;
        case ["verify", var folder]:
            return Check.Run(Path.GetFullPath(folder));
        default:
            return await Demo.RunAsync();
    }
}
catch (Exception fault) when (fault is IOException or InvalidDataException)
{
    Console.Error.WriteLine(fault.Message);
    return 2;
}
