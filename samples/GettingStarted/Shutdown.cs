using Raceway.Pipelines;
using Raceway.Rings;

namespace GettingStarted;

/// <summary>The ends that a pipeline has: drained, timed out, halted.</summary>
internal static class Shutdown
{
    public static async Task RunAsync()
    {
        using var gate = new ManualResetEventSlim();
        await using Pipeline<int> pipeline = Pipeline.Of<int>(capacity: 64)
            .Stage("slow", (ref int _) => gate.Wait())
            .Run();
        SingleProducer<int> producer = pipeline.CreateProducer();
        for (int n = 0; n < 10; n++) producer.Publish(n);

        // A drain takes no more items and waits for the stages. It never waits longer than it was told.
        DrainResult first = await pipeline.DrainAsync(TimeSpan.FromMilliseconds(50));
        Console.WriteLine($"{first.Status}, backlog {pipeline.Backlog}");

        // What is published now is refused, with an exception that names the reason.
        try
        {
            producer.Publish(10);
        }
        catch (InvalidOperationException refused)
        {
            Console.WriteLine(refused.GetType().Name);
        }

        gate.Set();
        DrainResult second = await pipeline.DrainAsync(TimeSpan.FromSeconds(30));
        Console.WriteLine($"{second.Status}, backlog {pipeline.Backlog}");
    }
}
