using System.Diagnostics.Metrics;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Writing;

public sealed class DurablePublisherTests
{
    private static readonly TimeSpan s_drain = TimeSpan.FromMinutes(5);

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    public async Task PublishAsync_OfManyCallers_CompletesWhenTheItemIsStored(ProducerKind kind)
    {
        using var folder = new TempFolder();
        const int Callers = 8;
        const int Each = 200;
        using (Journal<long> journal = Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), new JournalOptions { SegmentLength = 4 << 20 }))
        {
            PipelineBuilder<long, long> definition = Pipeline.Of<long>(16);
            if (kind == ProducerKind.Multi) definition = definition.MultiProducer();
            await using Pipeline<long> pipeline = definition.Stage("journal", journal).Run();
            DurablePublisher<long> publisher = journal.CreatePublisher(pipeline.Ring.CreateAnyProducer());
            Task[] callers = [.. Enumerable.Range(0, Callers).Select(async n =>
            {
                await Task.Yield();
                for (int i = 0; i < Each; i++)
                {
                    long item = (n * Each) + i;
                    await publisher.PublishAsync(item);
                    // Read by another handle, as another process would.
                    if (i % 50 == 0) Assert.Contains(item, Stored(folder.Path));
                }
            })];
            await Watchdog.Await(Task.WhenAll(callers), pipeline.Ring);
            await Watchdog.Await(pipeline.DrainAsync(s_drain), pipeline.Ring);
        }

        List<long> all = Stored(folder.Path);
        Assert.Equal(Enumerable.Range(0, Callers * Each).Select(static n => (long)n), all.Order());
        for (int n = 0; n < Callers; n++) Assert.Equal(all.Where(item => item / Each == n).Order(), all.Where(item => item / Each == n));
    }

    [Fact]
    public async Task PublishAsync_OfARingThatEndsBeforeTheSync_Fails()
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).Stage("journal", journal).Run(Plan.Manual);
        DurablePublisher<long> publisher = journal.CreatePublisher(pipeline.CreateProducer());
        Task waiting = publisher.PublishAsync(1).AsTask();
        await pipeline.HaltAsync();
        await Assert.ThrowsAnyAsync<InvalidOperationException>(() => waiting.OrHang());
        await Assert.ThrowsAnyAsync<InvalidOperationException>(async () => await publisher.PublishAsync(2));
    }

    // The thread that has replayed is gone.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task PublishAsync_OnAnotherThreadThanTheReplay_WorksWhereProducersAreChecked(bool isByStep)
    {
        using Journal<long> journal = Kit.Open(Kit.Hundred());
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).Configure(static ring => ring with { CheckProducer = true })
            .Stage("journal", journal).Run(Plan.Manual);
        SingleProducer<long> producer = pipeline.CreateProducer();
        await Run(() =>
        {
            if (isByStep) journal.BeginReplay(producer, from: 95).TryPublish();
            else journal.Replay(producer, from: 95);
        });
        DurablePublisher<long> publisher = journal.CreatePublisher(producer);
        Task? stored = null;
        await Run(() => stored = publisher.PublishAsync(7).AsTask());
        await StepUntil(pipeline, stored!);
        Assert.Equal(101, journal.NextSequence);

        static async Task Run(Action call) => Assert.Null(await Watchdog.RunThread(call).Ended.OrHang());
    }

    [Fact]
    public async Task PublishAsync_WithAWriterThatThrows_PublishesNothing()
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).Stage("journal", journal).Run(Plan.Manual);
        DurablePublisher<long> publisher = journal.CreatePublisher(pipeline.CreateProducer());
        await Assert.ThrowsAsync<FormatException>(async () => await publisher.PublishAsync(0, static (ref long _, int _) => throw new FormatException()));
        Assert.Equal(0, pipeline.Backlog);
    }

    [Fact]
    public async Task PublishAsync_ByAHandlerOfItsOwnFullRing_IsRefused()
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        DurablePublisher<long>? publisher = null;
        Task? again = null;
        await using Pipeline<long> pipeline = Pipeline.Of<long>(4).Stage("journal", journal)
            .Stage("again", (ref long _) => again ??= publisher!.PublishAsync(9).AsTask())
            .Run(Plan.Manual);
        publisher = journal.CreatePublisher(pipeline.CreateProducer());
        Task[] first = [.. Enumerable.Range(0, 4).Select(n => publisher.PublishAsync(n).AsTask())];
        pipeline["journal"].Step();
        await Task.WhenAll(first).OrHang();

        pipeline["again"].Step();

        await Assert.ThrowsAsync<ReentrantPublishException>(() => again!.OrHang());
        // The turn is free again, or will be soon: then the pool publishes the next item.
        await StepUntil(pipeline, publisher.PublishAsync(5).AsTask());
    }

    [Fact]
    public async Task PublishAsync_WhoseWriterCancelsIt_IsStoredAndCancelled_AndTheNextCallHasItsOwnToken()
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        await using Pipeline<long> pipeline = Pipeline.Of<long>(4).Stage("journal", journal).Run(Plan.Manual);
        DurablePublisher<long> publisher = journal.CreatePublisher(pipeline.CreateProducer());
        for (int round = 0; round < 20; round++)
        {
            using var own = new CancellationTokenSource();
            using var later = new CancellationTokenSource();
            Task[] first = [.. Enumerable.Range(0, 4).Select(n => publisher.PublishAsync(n).AsTask())];
            Task cancelled = publisher.PublishAsync(own, static (ref long slot, CancellationTokenSource token) =>
            {
                slot = 7;
                token.Cancel();
            }, own.Token).AsTask();
            // One step takes all four. Another one might store the item before its call begins to wait, and that would end well.
            await Watchdog.UntilAsync(() => pipeline.Backlog == 4, "all four have their slots");
            pipeline["journal"].Step();
            await Task.WhenAll(first).OrHang();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.OrHang());

            // Three more fill the ring: the next call waits for room, with what the cancelled one has given back.
            Task[] second = [.. Enumerable.Range(0, 3).Select(n => publisher.PublishAsync(n).AsTask())];
            Task waits = publisher.PublishAsync(8, later.Token).AsTask();
            await later.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waits.OrHang());
            await StepUntil(pipeline, Task.WhenAll(second));
        }
    }

    [Fact]
    public async Task PublishAsync_OfCallersThatWaitForRoom_EndsEachByItself()
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        await using Pipeline<long> pipeline = Pipeline.Of<long>(4).Stage("journal", journal).Run(Plan.Manual);
        DurablePublisher<long> publisher = journal.CreatePublisher(pipeline.CreateProducer());
        using var cancellation = new CancellationTokenSource();
        Task[] first = [.. Enumerable.Range(0, 4).Select(n => publisher.PublishAsync(n).AsTask())];
        Task cancelled = publisher.PublishAsync(4, cancellation.Token).AsTask();
        Task thrown = publisher.PublishAsync(0, static (ref long _, int _) => throw new FormatException()).AsTask();
        Task last = publisher.PublishAsync(5).AsTask();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.OrHang());
        Assert.DoesNotContain([.. first, thrown, last], static call => call.IsCompleted);
        await Task.Run(() =>
        {
            while (!last.IsCompleted) pipeline["journal"].Step();
        }).OrHang();
        await Task.WhenAll(first).OrHang();
        await last;
        await Assert.ThrowsAsync<FormatException>(() => thrown.OrHang());
        Assert.Equal(5, journal.NextSequence);
    }

    [Fact]
    public async Task PublishAsync_OfCallersThatWaitForRoomOfARingThatEnds_Fails()
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        await using Pipeline<long> pipeline = Pipeline.Of<long>(4).Stage("journal", journal).Run(Plan.Manual);
        DurablePublisher<long> publisher = journal.CreatePublisher(pipeline.CreateProducer());
        Task[] all = [.. Enumerable.Range(0, 6).Select(n => publisher.PublishAsync(n).AsTask())];
        await pipeline.HaltAsync();
        foreach (Task one in all) await Assert.ThrowsAnyAsync<InvalidOperationException>(() => one.OrHang());
    }

    [Fact]
    public async Task CreatePublisher_OfAnotherRing_IsRefused()
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        await using Pipeline<long> other = Pipeline.Of<long>(16).Stage("nothing", static (ref long _) => { }).Run(Plan.Manual);
        Assert.Throws<InvalidOperationException>(() => journal.CreatePublisher(other.CreateProducer()));
        Pipeline.Of<long>(16).Stage("journal", journal).Build();
        Assert.Throws<InvalidOperationException>(() => journal.Replay(other.Ring.CreateAnyProducer()));
    }

    [Fact]
    public void CreateMeter_OfAJournalAtWork_CountsWritesAndSyncs()
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        using JournalMeter meter = journal.CreateMeter("of this test");
        var seen = new Dictionary<string, double>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, listening) =>
        {
            if (instrument.Meter.Name == JournalMeter.MeterName) listening.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Add(instrument, tags, value));
        listener.SetMeasurementEventCallback<double>((instrument, _, tags, _) => Add(instrument, tags, 1));
        listener.Start();
        journal.Store(1, 2, 3);
        journal.Store(4);
        listener.RecordObservableInstruments();
        Assert.Equal(4, seen["raceway.journal.group.size"]);
        Assert.Equal(2, seen["raceway.journal.sync.time"]);
        Assert.Equal(160, seen["raceway.journal.bytes"]);
        Assert.Equal(0, seen["raceway.journal.lag"]);

        meter.Dispose();
        seen.Clear();
        journal.Store(5);
        listener.RecordObservableInstruments();
        Assert.Empty(seen);

        // Journals of other tests have meters of the same name.
        void Add(Instrument instrument, ReadOnlySpan<KeyValuePair<string, object?>> tags, double value)
        {
            foreach ((string key, object? tag) in tags)
                if (key == "raceway.journal.name" && tag is "of this test") seen[instrument.Name] = seen.GetValueOrDefault(instrument.Name) + value;
        }
    }

    private static List<long> Stored(string folder) => [.. JournalFolder.Read(folder).Select(static item => BitConverter.ToInt64(item.Bytes.Span))];

    // Calls that wait are published by the pool, some time after there is room.
    private static async Task StepUntil(Pipeline<long> pipeline, Task stored)
    {
        await Watchdog.UntilAsync(() =>
        {
            pipeline["journal"].Step();
            return stored.IsCompleted;
        }, "items are stored");
        await stored;
    }
}
