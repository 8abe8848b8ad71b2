using System.Runtime.Intrinsics;
using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Recipes;

/// <summary>The code of docs/observing.md and docs/reading.md, as it stands there (PageCodeTests).</summary>
public sealed class ObservingPageTests
{
    private struct Line
    {
        public int Hash;
    }

    private static class Lanes
    {
        public static void Hash(Batch<Line> batch, int width)
        {
            foreach (ref Line line in batch) line.Hash = width;
        }
    }

    private sealed class Hashing : IBatchHandler<Line>, IWideHandler
    {
        public int Width => Vector512.IsHardwareAccelerated ? 8 : 4;   // read once, when the stage is built

        public void OnBatch(Batch<Line> batch) => Lanes.Hash(batch, Width);
    }

    [Fact]
    public async Task Diagnose_WhatHasRun_IsAboutItsStages()
    {
        await using Pipeline<Line> pipeline = Pipeline.Of<Line>(64).Stage("hash", new Hashing()).Run();
        using var end = new CancellationTokenSource();
        Task load = Task.Run(() =>
        {
            while (!end.IsCancellationRequested) pipeline.Publisher.Publish(default(Line));
        });

        PipelineSnapshot before = pipeline.TakeSnapshot();
        await Task.Delay(TimeSpan.FromSeconds(1));            // under the load that matters
        Console.Write(pipeline.Diagnose(before));
        var seen = new List<PipelineSnapshot>();
        for (int i = 0; i < 10; i++, await Task.Delay(200)) seen.Add(pipeline.TakeSnapshot());   // under a load that varies
        Console.Write(Diagnosis.Across(seen));

        await end.CancelAsync();
        await load.OrHang();
        Assert.InRange(pipeline.Diagnose(before).Interval, TimeSpan.FromSeconds(1), TimeSpan.MaxValue);
        Assert.InRange(pipeline["hash"].GetStatistics().Items, 1, long.MaxValue);
    }

    [Fact]
    public async Task Ring_Alone_HandsTheItemOver()
    {
        var handler = new Handler();
        var ring = new RingBuffer<long>(1024);
        ring.Subscribe(handler);                        // an IBatchHandler<long>
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        producer.Publish(42);

        await ring.DrainAsync(TimeSpan.FromSeconds(30)).OrHang();
        Assert.Equal(42, handler.Sum);
    }

    private sealed class Handler : IBatchHandler<long>
    {
        public long Sum { get; private set; }

        public void OnBatch(Batch<long> batch)
        {
            foreach (long item in batch) Sum += item;
        }
    }
}
