using Raceway.Pipelines;
using Raceway.Rings;

namespace GettingStarted;

/// <summary>A handler that throws: tried again, then handed to a dead-letter sink; the items around it go on.</summary>
internal static class Faults
{
    public static async Task RunAsync()
    {
        long sum = 0;
        List<string> letters = [];
        FaultPolicy policy = FaultPolicy.Retry(
            2, FaultPolicy.DeadLetter((ref string text, in FaultContext fault) => letters.Add($"{text} ({fault.Fault.GetType().Name})")));
        await using Pipeline<string> pipeline = Pipeline.Of<string>(capacity: 64)
            .OnFault(policy)
            .Stage("parse", (ref string text) => sum += int.Parse(text))
            .Run();

        SingleProducer<string> producer = pipeline.CreateProducer();
        foreach (string text in new[] { "1", "2", "three", "4" }) producer.Publish(text);

        await pipeline.DrainAsync(TimeSpan.FromSeconds(30));
        StageStatistics parse = pipeline["parse"].GetStatistics();
        Console.WriteLine($"sum {sum}, dead letters: {string.Join(", ", letters)}, retries {parse.Retries}");
    }
}
