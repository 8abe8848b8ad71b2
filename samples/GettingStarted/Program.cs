using GettingStarted;

// Each example is a section of docs/getting-started.md.
(string Name, Func<Task> Run)[] examples =
[
    ("a first pipeline", FirstPipeline.RunAsync),
    ("a diamond", Diamond.RunAsync),
    ("several producers", SeveralProducers.RunAsync),
    ("batches", Batches.RunAsync),
    ("payloads", Payloads.RunAsync),
    ("faults", Faults.RunAsync),
    ("shutdown", Shutdown.RunAsync),
];
foreach ((string name, Func<Task> run) in examples)
{
    Console.WriteLine($"== {name}");
    await run();
}
