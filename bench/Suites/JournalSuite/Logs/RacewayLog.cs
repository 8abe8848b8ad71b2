using System.Diagnostics;
using System.Threading.Tasks.Sources;
using Raceway.Interop.Journal;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Suites.Batching;

namespace Raceway.Suites.JournalSuite.Logs;

/// <summary>Ours, by the defaults: a pipeline with the journal as its first stage.</summary>
/// <typeparam name="T">The type of the slots.</typeparam>
/// <typeparam name="TForm">How they hold an item.</typeparam>
internal abstract class RacewayLog<T, TForm> : DurableLog
    where TForm : ILoggedForm<T>
{
    private const int Look = 1; // ms
    private const int MostLooks = 10_000;

    private readonly string _folder;
    private readonly Pipeline<T> _pipeline;
    private readonly JournalOptions _options = new() { KeepSnapshots = 1 };
    private long _saved;
    private long _first;

    protected RacewayLog(string folder, int capacity)
    {
        _folder = folder;
        Journal = Journal<T>.Open(folder, TForm.Codec, _options);
        _pipeline = AddStages(
            Pipeline.Of<T>(capacity).Configure(static options => options with { CreateSlot = TForm.Create }).Stage("journal", Journal)).Run();
        Producer = _pipeline.CreateProducer();
        _pipeline.Completion.ContinueWith(ended => Ended(ended.Exception), TaskScheduler.Default);
    }

    public override long Groups => _pipeline.Stages[0].GetStatistics().Batches;

    protected Journal<T> Journal { get; }

    protected SingleProducer<T> Producer { get; }

    public override void Begin(Acknowledgements acknowledged)
    {
        base.Begin(acknowledged);
        _first = Journal.NextSequence;
        if ((_first - _saved) * TForm.Length > _options.SegmentLength) Save();
    }

    public override void ReadBack(long count, StoredReader item)
    {
        foreach (StoredItem stored in JournalFolder.Read(_folder, _first))
        {
            item(stored.Bytes.Span);
            if (--count == 0 || stored.Sequence + 1 == Journal.NextSequence) break;
        }
    }

    public override void Settle() => MadeAhead.Wait(_folder, _options.SegmentLength);

    public override void Dispose()
    {
        _pipeline.HaltAsync().GetAwaiter().GetResult();
        Journal.Dispose();
    }

    protected abstract PipelineBuilder<T, T> AddStages(PipelineBuilder<T, T> definition);

    // As an application would: what a snapshot has need not stay.
    private void Save()
    {
        long written = Journal.Snapshots.Written;
        _saved = _first;
        Journal.Snapshots.TrySave(_saved, 0, static (_, _) => { });
        for (int i = 0; Journal.Snapshots.Written == written && i < MostLooks; i++) Thread.Sleep(Look);
    }

    private void Ended(Exception? fault) =>
        Acknowledged?.Fail(fault ?? new InvalidOperationException("The pipeline has ended."));
}

/// <summary>A stage behind the journal acknowledges: it sees only what is durable.</summary>
internal sealed class StageLog<T, TForm>(string folder, int capacity) : RacewayLog<T, TForm>(folder, capacity), IBatchHandler<T>
    where TForm : ILoggedForm<T>
{
    private long _done;

    public override void Begin(Acknowledgements acknowledged)
    {
        base.Begin(acknowledged);
        _done = 0;
    }

    public override void Give(in Job job) =>
        Producer.Publish((job.Index, Acknowledged.Round.Number), static (ref T slot, (long Index, long Round) item) =>
            Logged.Fill(TForm.Of(ref slot), item.Index, item.Round));

    public void OnBatch(Batch<T> batch) => Acknowledged.Reach(_done += batch.Count);

    protected override PipelineBuilder<T, T> AddStages(PipelineBuilder<T, T> definition) => definition.Stage("acknowledge", this);
}

/// <summary>A durable publish for each item: many callers wait beside each other, each for its own item.</summary>
internal sealed class PublisherLog<T, TForm> : RacewayLog<T, TForm>
    where TForm : ILoggedForm<T>
{
    private readonly DurablePublisher<T> _publisher;
    private readonly Stack<Caller> _idle = new();

    public PublisherLog(string folder, int capacity)
        : base(folder, capacity)
    {
        _publisher = Journal.CreatePublisher(Producer);
        for (int i = 0; i < capacity; i++) new Caller(this).Start();
    }

    public override void Give(in Job job)
    {
        Caller? caller;
        lock (_idle)
        {
            while (!_idle.TryPop(out caller)) Monitor.Wait(_idle);
        }

        caller.Publish(job);
    }

    public override async Task OneByOneAsync(long items, LatencyHistogram latency)
    {
        for (long index = 0; index < items; index++)
        {
            Pause();
            long since = Stopwatch.GetTimestamp();
            await PublishAsync(index).ConfigureAwait(false);
            Record(latency, since);
            Acknowledged.Reach(index + 1);
        }
    }

    protected override PipelineBuilder<T, T> AddStages(PipelineBuilder<T, T> definition) => definition;

    private ValueTask PublishAsync(long index) =>
        _publisher.PublishAsync((index, Acknowledged.Round.Number), static (ref T slot, (long Index, long Round) item) =>
            Logged.Fill(TForm.Of(ref slot), item.Index, item.Round));

    // One of many that publish beside each other, as the requests of a server do. It awaits its next job here, and the giver's thread
    // goes on with it as far as the publish: so the items lie in the order in which they were given, which is what the round is
    // checked for. It is idle once it awaits, not before.
    private sealed class Caller : IValueTaskSource<Job>
    {
        private readonly PublisherLog<T, TForm> _log;
        private ManualResetValueTaskSourceCore<Job> _next;

        public Caller(PublisherLog<T, TForm> log) => _log = log;

        /// <summary>Begins to await jobs, and is idle.</summary>
        public void Start() => _ = PublishAllAsync();

        /// <summary>Publishes its next item. It is idle.</summary>
        public void Publish(in Job job) => _next.SetResult(job);

        Job IValueTaskSource<Job>.GetResult(short token)
        {
            Job job = _next.GetResult(token);
            _next.Reset();
            return job;
        }

        ValueTaskSourceStatus IValueTaskSource<Job>.GetStatus(short token) => _next.GetStatus(token);

        void IValueTaskSource<Job>.OnCompleted(
            Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        {
            _next.OnCompleted(continuation, state, token, flags);
            lock (_log._idle)
            {
                _log._idle.Push(this);
                Monitor.Pulse(_log._idle);
            }
        }

        private async Task PublishAllAsync()
        {
            while (true)
            {
                Job job = await new ValueTask<Job>(this, _next.Version).ConfigureAwait(false);
                try
                {
                    await _log.PublishAsync(job.Index).ConfigureAwait(false);
                    _log.Acknowledged.Take(job);
                }
                catch (Exception fault)
                {
                    _log.Acknowledged.Fail(fault);
                }
            }
        }
    }
}
