#if PEER_DISRUPTOR
using Disruptor;
using Disruptor.Dsl;
using Raceway.Interop.DisruptorNet;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.DisruptorNet;

/// <summary>A stage moves from one engine to the other, one at a time, and sees the same.</summary>
public sealed class AdapterTests
{
    private const int Count = 10_000;

    [Theory]
    [InlineData("batch")]
    [InlineData("event")]
    [InlineData("async")]
    public async Task TheirHandler_OnOurPipelineOfObjects_SeesAllInOrderAndItsHooks(string kind)
    {
        var theirs = new Theirs();
        PipelineBuilder<Slot, Slot> definition = Pipeline.Of<Slot>(256)
            .Configure(static options => options with { CreateSlot = static () => new Slot() })
            .Stage("double", static (ref Slot slot) => slot.Value *= 2);
        await using Pipeline<Slot> pipeline = (kind switch
        {
            "batch" => definition.Stage("theirs", ((IBatchEventHandler<Slot>)theirs).ToRaceway()),
            "event" => definition.Stage("theirs", ((Disruptor.IEventHandler<Slot>)theirs).ToRaceway()),
            _ => definition.Stage("theirs", ((IAsyncBatchEventHandler<Slot>)theirs).ToRaceway()),
        }).Run();
        SingleProducer<Slot> producer = pipeline.CreateProducer();
        for (int i = 0; i < Count; i++) producer.Publish(i, static (ref Slot slot, int value) => slot.Value = value);

        Assert.True((await pipeline.DrainAsync(TimeSpan.FromSeconds(30)).OrHang()).IsDrained);

        Assert.Equal((Count, Count * (Count - 1L), true), (theirs.Count, theirs.Sum, theirs.InOrder));
        Assert.Equal((1, 1), (theirs.Starts, theirs.Ends));
        Assert.InRange(theirs.LargestBatch, 1, Theirs.Most);
    }

    [Fact]
    public async Task OurHandlers_BesideTheirsOnTheirEngineOfObjects_SeeAllInOrder()
    {
        var batches = new Ours<Slot>(static slot => slot.Value);
        var events = new Ours<Slot>(static slot => slot.Value);
        var theirs = new Theirs();
        var disruptor = new Disruptor<Slot>(static () => new Slot(), 256);
        BatchesOnDisruptor<Slot> first = ((IBatchHandler<Slot>)batches).ToDisruptor(maxBatch: 16);
        EventsOnDisruptor<Slot> second = ((Rings.IEventHandler<Slot>)events).ToDisruptor();
        disruptor.HandleEventsWith(first).Then(second).Then((IBatchEventHandler<Slot>)theirs);
        await disruptor.Start().OrHang();
        for (int i = 0; i < Count; i++)
        {
            using var scope = disruptor.PublishEvent();
            scope.Event().Value = i;
        }

        await disruptor.Shutdown().OrHang();

        long sum = Count * (Count - 1L) / 2;
        Assert.Equal((Count, sum, true), (batches.Count, batches.Sum, batches.InOrder));
        Assert.Equal((Count, sum, true), (events.Count, events.Sum, events.InOrder));
        Assert.Equal((Count, sum, true), (theirs.Count, theirs.Sum, theirs.InOrder));
        Assert.Equal((1, 1, 1, 1), (batches.Starts, batches.Ends, events.Starts, events.Ends));
        Assert.InRange(batches.LargestBatch, 1, 16);
    }

    [Fact]
    public async Task OurHandlers_OnTheirEngineOfValues_SeeAllInOrder()
    {
        var batches = new Ours<long>(static value => value);
        var events = new Ours<long>(static value => value);
        var disruptor = new ValueDisruptor<long>(static () => 0, 256);
        disruptor.HandleEventsWith(((IBatchHandler<long>)batches).ToValueDisruptor())
            .Then(((Rings.IEventHandler<long>)events).ToValueDisruptor());
        await disruptor.Start().OrHang();
        for (int i = 0; i < Count; i++)
        {
            using var scope = disruptor.PublishEvent();
            scope.Event() = i;
        }

        await disruptor.Shutdown().OrHang();

        long sum = Count * (Count - 1L) / 2;
        Assert.Equal((Count, sum, true, 1), (batches.Count, batches.Sum, batches.InOrder, batches.LargestBatch));
        Assert.Equal((Count, sum, true), (events.Count, events.Sum, events.InOrder));
    }

    [Fact]
    public async Task TheirValueHandler_OnOurPipeline_IsToldItsBatchesAndWrites()
    {
        var theirs = new TheirValues();
        var after = new Ours<long>(static value => value);
        await using Pipeline<long> pipeline = Pipeline.Of<long>(256)
            .Stage("theirs", theirs.ToRaceway()).Stage("ours", (IBatchHandler<long>)after).Run(Plan.Manual);
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (int i = 0; i < 10; i++) producer.Publish(i);

        pipeline["theirs"].Step();
        pipeline["ours"].Step();

        // Batches of four at most, each told before it begins; the last item of each is said to be that.
        Assert.Equal([4, 4, 2], theirs.Begun);
        Assert.Equal([3, 7, 9], theirs.Ends);
        Assert.Equal(90, after.Sum);
    }

    [Fact]
    public async Task TheirHandler_Throws_WhatItHandledIsDoneAndThePolicyDecides()
    {
        var theirs = new TheirValues { FailsAt = 5 };
        await using Pipeline<long> pipeline = Pipeline.Of<long>(256)
            .Stage("theirs", theirs.ToRaceway(), new() { OnFault = FaultPolicy.Skip }).Run(Plan.Manual);
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (int i = 0; i < 10; i++) producer.Publish(i);

        while (pipeline["theirs"].Position < 9) pipeline["theirs"].Step();

        Assert.Equal([0, 1, 2, 3, 4, 6, 7, 8, 9], theirs.Seen);
        Assert.Equal(1, pipeline["theirs"].GetStatistics().Skipped);
    }

    [Fact]
    public void ToRaceway_HandlerThatReportsItsSequence_IsRefused()
    {
        var refused = Assert.Throws<ArgumentException>(() => new Reports().ToRaceway());

        Assert.Contains("must not report its own sequence: handler=Reports", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void ToRaceway_GreatestBatchBelowOne_IsRefused(int most)
    {
        var refused = Assert.Throws<ArgumentException>(() => new TheirValues { MaxBatchSize = most }.ToRaceway());

        Assert.Contains($"handler=TheirValues, MaxBatchSize={most}", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ToDisruptor_LimitBelowOne_IsRefused() => Assert.Throws<ArgumentOutOfRangeException>(
        () => ((IBatchHandler<Slot>)new Ours<Slot>(static slot => slot.Value)).ToDisruptor(maxBatch: 0));

    internal sealed class Slot
    {
        public long Value { get; set; }
    }

    private sealed class Theirs : IBatchEventHandler<Slot>, Disruptor.IEventHandler<Slot>, IAsyncBatchEventHandler<Slot>
    {
        public const int Most = 32;

        public int Count { get; private set; }

        public long Sum { get; private set; }

        public bool InOrder { get; private set; } = true;

        public int LargestBatch { get; private set; }

        public int Starts { get; private set; }

        public int Ends { get; private set; }

        public int? MaxBatchSize => Most;

        public void OnBatch(EventBatch<Slot> batch, long sequence)
        {
            LargestBatch = Math.Max(LargestBatch, batch.Length);
            for (int i = 0; i < batch.Length; i++) Take(batch[i], sequence + i);
        }

        public void OnBatchStart(long batchSize) => LargestBatch = Math.Max(LargestBatch, (int)batchSize);

        public void OnEvent(Slot data, long sequence, bool endOfBatch) => Take(data, sequence);

        async ValueTask IAsyncBatchEventHandler<Slot>.OnBatch(EventBatch<Slot> batch, long sequence)
        {
            await Task.Yield();
            OnBatch(batch, sequence);
        }

        public void OnStart() => Starts++;

        public void OnShutdown() => Ends++;

        private void Take(Slot slot, long sequence)
        {
            InOrder &= sequence == Count++;
            Sum += slot.Value;
        }
    }

    private sealed class TheirValues : IValueEventHandler<long>
    {
        public long FailsAt { get; init; } = -1;

        public List<long> Begun { get; } = [];

        public List<long> Ends { get; } = [];

        public List<long> Seen { get; } = [];

        public int? MaxBatchSize { get; init; } = 4;

        public void OnBatchStart(long batchSize) => Begun.Add(batchSize);

        public void OnEvent(ref long data, long sequence, bool endOfBatch)
        {
            if (sequence == FailsAt) throw new FormatException();
            Seen.Add(data);
            if (endOfBatch) Ends.Add(sequence);
            data *= 2;
        }
    }

    private sealed class Reports : ISequenceReportingEventHandler<Slot>
    {
        public void SetSequenceCallback(Sequence sequenceCallback)
        {
        }

        public void OnEvent(Slot data, long sequence, bool endOfBatch)
        {
        }
    }

    private sealed class Ours<T>(Func<T, long> value) : IBatchHandler<T>, Rings.IEventHandler<T>, IStageLifetime
    {
        public int Count { get; private set; }

        public long Sum { get; private set; }

        public bool InOrder { get; private set; } = true;

        public int LargestBatch { get; private set; }

        public int Starts { get; private set; }

        public int Ends { get; private set; }

        public void OnBatch(Batch<T> batch)
        {
            LargestBatch = Math.Max(LargestBatch, batch.Count);
            for (int i = 0; i < batch.Count; i++) OnEvent(ref batch[i], batch.Sequence + i, false);
        }

        public void OnEvent(ref T item, long sequence, bool endOfBatch)
        {
            InOrder &= sequence == Count++;
            Sum += value(item);
        }

        public void OnStart() => Starts++;

        public void OnStop() => Ends++;
    }
}
#endif
