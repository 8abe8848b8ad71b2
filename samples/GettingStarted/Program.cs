using Raceway.Pipelines;
using Raceway.Rings;

// Three stages, one behind the other: text to number, number to square, squares to a sum.
string[] lines = [.. Enumerable.Range(1, 10_000).Select(n => $"value={n}")];
List<long> totals = [];

foreach (Plan plan in new[] { Plan.Auto, Plan.Fused })
{
    var sum = new Sum();
    await using Pipeline<Line> pipeline = Pipeline.Of<Line>(capacity: 1024)
        .Stage("parse", Parse)
        .Stage("square", static (ref Line line) => line.Number *= line.Number)
        .Stage("sum", sum, Dispatch.Batch(max: 256))
        .Run(plan);

    SingleProducer<Line> producer = pipeline.CreateProducer();
    foreach (string text in lines[..5_000]) producer.Publish(new Line { Text = text });

    // The same pipeline from here on message by message: no restart, nothing lost.
    pipeline["sum"].Dispatch = Dispatch.Single;
    foreach (string text in lines[5_000..]) producer.Publish(new Line { Text = text });

    DrainResult result = await pipeline.DrainAsync(TimeSpan.FromSeconds(30));
    totals.Add(sum.Total);
    Console.WriteLine($"{plan}: {result}");
    Console.WriteLine($"  sum of squares {sum.Total}, items {sum.Items}, in order {sum.InOrder}");
    foreach (Stage stage in pipeline.Stages)
        Console.WriteLine($"  {stage.Name,-6} {stage.Dispatch,-13} up to sequence {stage.Position}");
}
Console.WriteLine($"the same under both plans: {totals[0] == totals[1]}");

static void Parse(ref Line line) => line.Number = long.Parse(line.Text.AsSpan("value=".Length));

/// <summary>What travels through the pipeline; a stage reaches it by reference and writes its result into it.</summary>
internal struct Line
{
    public string Text;
    public long Number;
}

/// <summary>A stage with state: one call a batch, so the loop is its own.</summary>
internal sealed class Sum : IBatchHandler<Line>
{
    public long Total { get; private set; }

    public long Items { get; private set; }

    public bool InOrder { get; private set; } = true;

    public void OnBatch(Batch<Line> batch)
    {
        foreach (ref Line line in batch)
        {
            Total += line.Number;
            InOrder &= line.Number == ++Items * Items;
        }
    }
}
