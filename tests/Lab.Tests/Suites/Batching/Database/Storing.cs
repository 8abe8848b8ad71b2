using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Suites.Batching.Database;

/// <summary>What the tests of storing rows have in common: a pipeline of one stage, and what must hold of it in the end.</summary>
internal static class Storing
{
    public const string Stage = "store";

    /// <summary>Rows of a batch: at least and at most, so that the first is full whatever the speed of the producer.</summary>
    public const int BatchSize = 64;

    /// <summary>The policy of a user who waits for a database to come back: about 20 minutes.</summary>
    public static FaultPolicy Patient { get; } = FaultPolicy.Retry(16, TimeSpan.FromMilliseconds(20));

    public static Dispatch Dispatch { get; } = Dispatch.Batch(min: BatchSize, max: BatchSize);

    public static Pipeline<Row> Run(RowTable table, FaultPolicy policy, int capacity = 2_048) =>
        Define(policy, capacity).Stage(Stage, table, Dispatch).Run();

    /// <summary>Its disposal ends it as it is: a test that has failed does not wait for a database that is away.</summary>
    public static PipelineBuilder<Row, Row> Define(FaultPolicy policy, int capacity = 2_048) =>
        Pipeline.Of<Row>(capacity).Configure(static options => options with { DrainTimeout = TimeSpan.Zero }).OnFault(policy);

    public static void Publish(SingleProducer<Row> producer, IEnumerable<Row> rows)
    {
        foreach (Row row in rows) producer.Publish(row);
    }

    public static IEnumerable<Row> Good(int count, long first = 0) => Enumerable.Range(0, count).Select(i => Row.Good(first + i));

    /// <summary>Drains it, and asserts that each of the rows is stored, once, in order, and by calls that returned.</summary>
    /// <returns>What the stage has done.</returns>
    public static async Task<StageStatistics> DrainAsync(Pipeline<Row> pipeline, RowTable table, IReadOnlyList<Row> expected)
    {
        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        Assert.True(result.IsDrained, result.ToString());
        Assert.Equal(expected, table.Read());
        Assert.Equal(expected.Select(static row => row.Id), table.Acknowledged);
        StageStatistics done = pipeline[Stage].GetStatistics();
        Assert.Equal(expected.Count, done.Items);
        return done;
    }
}
