using Raceway.Pipelines;
using Raceway.Rings;

namespace GettingStarted;

/// <summary>Three stages in a row, and an end that loses nothing.</summary>
internal static class FirstPipeline
{
    public static async Task RunAsync()
    {
        long sum = 0;
        await using Pipeline<Line> pipeline = Pipeline.Of<Line>(capacity: 1024)
            .Stage("parse", static (ref Line line) => line.Number = long.Parse(line.Text.AsSpan("value=".Length)))
            .Stage("square", static (ref Line line) => line.Number *= line.Number)
            .Stage("sum", (ref Line line) => sum += line.Number)
            .Run();

        SingleProducer<Line> producer = pipeline.CreateProducer();
        for (int n = 1; n <= 10_000; n++) producer.Publish(new Line { Text = $"value={n}" });

        DrainResult result = await pipeline.DrainAsync(TimeSpan.FromSeconds(30));
        Console.WriteLine($"{result.Status}: sum of squares {sum}");
    }

    private struct Line
    {
        public string Text;
        public long Number;
    }
}
