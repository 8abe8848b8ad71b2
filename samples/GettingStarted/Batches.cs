using Raceway.Pipelines;
using Raceway.Rings;

namespace GettingStarted;

/// <summary>A handler that is called once per batch, and how its batches are limited, also while it runs.</summary>
internal static class Batches
{
    public static async Task RunAsync()
    {
        var write = new Write();
        await using Pipeline<int> pipeline = Pipeline.Of<int>(capacity: 1024)
            .Stage("write", write, Dispatch.Batch(max: 64))
            .Run();

        SingleProducer<int> producer = pipeline.CreateProducer();
        for (int n = 0; n < 5_000; n++) producer.Publish(n);

        // From here on one item per call. Nothing stops, and nothing is lost.
        pipeline["write"].Dispatch = Dispatch.Single;
        for (int n = 5_000; n < 10_000; n++) producer.Publish(n);

        await pipeline.DrainAsync(TimeSpan.FromSeconds(30));
        Console.WriteLine($"{write.Items} items, at most {write.Largest} per call, fewer calls than items: {write.Calls < write.Items}");
    }

    private sealed class Write : IBatchHandler<int>
    {
        public int Calls { get; private set; }

        public int Items { get; private set; }

        public int Largest { get; private set; }

        public void OnBatch(Batch<int> batch)
        {
            // Here a real stage sends one statement, syncs its file once, or fills the lanes of a vector.
            Calls++;
            Items += batch.Count;
            Largest = Math.Max(Largest, batch.Count);
        }
    }
}
