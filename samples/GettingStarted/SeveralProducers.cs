using Raceway.Pipelines;
using Raceway.Rings;

namespace GettingStarted;

/// <summary>Several threads publish, each through a handle of its own.</summary>
internal static class SeveralProducers
{
    public static async Task RunAsync()
    {
        long sum = 0;
        await using Pipeline<long> pipeline = Pipeline.Of<long>(capacity: 1024)
            .MultiProducer(maxProducers: 4)
            .Stage("sum", (ref long item) => sum += item)
            .Run();

        // A handle belongs to one thread at a time. `pipeline.Publisher` is the one that all threads may share.
        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(() =>
        {
            using MultiProducer<long> producer = pipeline.CreateMultiProducer();
            for (long item = 1; item <= 1_000; item++) producer.Publish(item);
        })));

        await pipeline.DrainAsync(TimeSpan.FromSeconds(30));
        Console.WriteLine($"sum {sum}");
    }
}
