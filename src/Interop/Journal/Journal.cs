using System.Diagnostics.Metrics;
using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Reading;
using Raceway.Interop.Journal.Snapshots;
using Raceway.Interop.Journal.Writing;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Journal;

/// <summary>A journal: a stage that stores each item before the stages behind it see it, and what was stored before.</summary>
/// <remarks>
/// <para>1. <see cref="Open(string, IJournalCodec{T}, JournalOptions?, SequenceWriter{T}?)"/> recovers the folder. 2. Add the
/// journal to a pipeline as a stage: <c>.Stage("journal", journal)</c>. 3. <see cref="Replay"/> publishes what is stored into
/// that pipeline. 4. Publish; the journal appends and syncs each batch. A stage that follows the journal sees an item only
/// after that; a branch beside it does not wait.</para>
/// <para>Sequences count the items of the journal from 0 on, over all runs, without a gap.</para>
/// <para><b>Threads</b>: every member by any thread. <b>Blocking</b>: the stage blocks while the disk syncs.</para>
/// <para><b>Cost</b>: a write and a sync per batch; nothing is allocated per item.</para>
/// <para><b>Errors</b>: the first error of a write or sync fails the stage, and so the pipeline; nothing of that batch is
/// acknowledged. The journal takes nothing more until it is opened again.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// using Journal&lt;Order> journal = Journal&lt;Order>.Open("data/orders", JournalCodec.Unmanaged&lt;Order>());
/// await using Pipeline&lt;Order> pipeline = Pipeline.Of&lt;Order>(1024)
///     .Stage("journal", journal)
///     .Stage("book", (ref Order order) => accounts.Book(order))  // sees an order when it is on the disk
///     .Run();
/// SingleProducer&lt;Order> producer = pipeline.CreateProducer();
/// journal.Replay(producer);
/// producer.Publish(order);
/// </code>
/// </example>
public sealed class Journal<T> : StageKind<T>, IDisposable
{
    private readonly JournalFiles _files;
    private readonly IJournalCodec<T> _codec;
    private readonly IDisposable _lock;
    private readonly JournalWriter _writer;
    private readonly IntervalSync? _interval;
    private readonly DurableLine _items;
    private readonly DurableLine _ring = new(0);
    private readonly JournalStage<T> _stage;
    private Ring? _attached;
    private int _isAttached;
    private int _replays;

    private Journal(JournalFiles files, IDisposable held, RecoveredTail tail, IJournalCodec<T> codec, JournalOptions options, SequenceWriter<T>? stamp)
    {
        _files = files;
        _lock = held;
        _codec = codec;
        _items = new DurableLine(tail.Next);
        Found = new JournalFound(tail.First, tail.Next, tail.TornBytes, tail.WasClosed);
        _writer = JournalWriter.Begin(files, tail, codec.Schema, options, Acknowledge, Fail);
        try
        {
            _stage = new JournalStage<T>(_writer, codec, options, stamp, Acknowledge);
            Snapshots = new JournalSnapshots(files, _writer, options, tail.Snapshots);
            if (options.Durability.Interval is { } interval && interval > TimeSpan.Zero) _interval = new IntervalSync(_writer, options.Time, interval);
        }
        catch
        {
            // The caller gives the lock back. The writer must not make segments in a folder that another writer can have.
            _writer.Abandon();
            throw;
        }
    }

    /// <summary>What was there when it was opened.</summary>
    public JournalFound Found { get; }

    /// <summary>The sequence of the next item that will be written.</summary>
    public long NextSequence => _writer.Written.Items;

    /// <summary>The sequence of the last item that is durable; -1 if there is none.</summary>
    public long DurableSequence => _writer.Durable.Items - 1;

    /// <summary>States of handlers, to begin a replay from.</summary>
    public JournalSnapshots Snapshots { get; }

    internal JournalStage<T> Stage => _stage;

    internal JournalWriter Writer => _writer;

    /// <summary>Opens the journal of a folder for writing, and makes folder and journal if there is none.</summary>
    /// <param name="folder">A folder of its own, on a file system that keeps what it has synced.</param>
    /// <param name="codec">How items become bytes.</param>
    /// <param name="options">How it is written; null for the defaults.</param>
    /// <param name="stamp">Writes an item's sequence into the item, for the stages behind; null: it is not written.</param>
    /// <exception cref="JournalDamagedException">Something that was durable is not right. Nothing is changed.</exception>
    /// <exception cref="JournalException">Another writer has it, the codec cannot read it, or the file system refuses.</exception>
    public static Journal<T> Open(string folder, IJournalCodec<T> codec, JournalOptions? options = null, SequenceWriter<T>? stamp = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(folder);
        ArgumentNullException.ThrowIfNull(codec);
        string full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder));
        JournalOptions settled = (options ?? new JournalOptions()).Checked().For(full);
        try
        {
            SystemFiles.MakeFolder(full);
        }
        catch (Exception cause) when (cause is IOException or UnauthorizedAccessException)
        {
            throw JournalErrors.Unusable(full, cause);
        }

        return Open(new SystemFiles(full), codec, settled, stamp);
    }

    internal static Journal<T> Open(JournalFiles files, IJournalCodec<T> codec, JournalOptions options, SequenceWriter<T>? stamp = null)
    {
        IDisposable? held = null;
        RecoveredTail? tail = null;
        try
        {
            held = files.TryLock() ?? throw JournalErrors.Locked(files.Folder);
            Readable.Check(files, codec);
            tail = Recovery.Run(files, options.CheckAll);
            return new Journal<T>(files, held, tail, codec, options, stamp);
        }
        catch (Exception cause)
        {
            tail?.File?.Dispose();
            held?.Dispose();
            if (cause is JournalException or not (IOException or UnauthorizedAccessException)) throw;
            throw JournalErrors.Unusable(files.Folder, cause);
        }
    }

    /// <summary>Completes when the item of that sequence is as safe as <see cref="JournalOptions.Durability"/> promises. Await it once.</summary>
    /// <exception cref="JournalException">The journal has failed before that.</exception>
    public ValueTask WaitForDurableAsync(long sequence, CancellationToken cancellation = default) =>
        sequence is < 0 or long.MaxValue ? throw JournalErrors.NotWritten(sequence) : _items.WaitAsync(sequence + 1, cancellation);

    /// <summary>Publishes stored items, so that every stage of the pipeline sees them again, and returns when the last is published.</summary>
    /// <remarks>The journal lets them pass. Publish new items when it has returned: an earlier one fails the stage.</remarks>
    /// <param name="producer">Of the ring that the journal is on.</param>
    /// <param name="from">The first sequence; null: the oldest that is stored.</param>
    /// <param name="cancellation">Ends it; the run cannot go on then.</param>
    /// <returns>How many items.</returns>
    public long Replay(Producer<T> producer, long? from = null, CancellationToken cancellation = default) =>
        BeginReplay(producer, from).Run(cancellation);

    /// <summary>The same step by step, for a pipeline that this thread drives.</summary>
    /// <inheritdoc cref="Replay"/>
    public JournalReplay<T> BeginReplay(Producer<T> producer, long? from = null)
    {
        ArgumentNullException.ThrowIfNull(producer);
        Check(producer.Ring);
        long first = from ?? Found.First;
        if (first < Found.First || first > Found.Next) throw JournalErrors.ReplayFrom(first, Found.First, Found.Next);
        if (Interlocked.Exchange(ref _replays, 1) != 0) throw JournalErrors.ReplayedTwice();
        _stage.BeginReplay(first);
        return new JournalReplay<T>(new StoredItems(_files, SegmentFiles.Find(_files), first, Found.Next), producer, _codec, _stage, Found.Next - first);
    }

    /// <summary>Publishes items of any thread by a producer, and completes when they are stored.</summary>
    /// <param name="producer">Of the ring that the journal is on; from now on it is used by the publisher alone.</param>
    public DurablePublisher<T> CreatePublisher(Producer<T> producer)
    {
        ArgumentNullException.ThrowIfNull(producer);
        Check(producer.Ring);
        return new DurablePublisher<T>(this, producer);
    }

    /// <summary>Begins to count what it does, under a name.</summary>
    /// <param name="name">The value of the tag <c>raceway.journal.name</c>.</param>
    /// <param name="factory">Makes the meter, and owns it, such as that of a host. Default: the meter of the process.</param>
    public JournalMeter CreateMeter(string name, IMeterFactory? factory = null) =>
        _writer.Meter = new JournalMeter(name, () => _writer.Written.Items - _writer.Durable.Items, factory);

    /// <summary>Completes when the item at that ring sequence is durable.</summary>
    internal ValueTask WaitForRingAsync(long ringSequence, CancellationToken cancellation) => _ring.WaitAsync(ringSequence + 1, cancellation);

    /// <summary>Completes a call when the item at that ring sequence is durable.</summary>
    internal void CompleteAtRing(DurableWaiter call, long ringSequence) => _ring.Complete(call, ringSequence + 1);

    internal void Check(Ring ring)
    {
        if (_attached is not { } own) throw JournalErrors.NotAttached();
        if (own != ring) throw JournalErrors.OtherRing();
        if (own.Options.Producers == ProducerKind.Sharded) throw JournalErrors.ShardedRing();
    }

    /// <inheritdoc/>
    public override Stage Attach(StageSite<T> site)
    {
        string name = site.Options.Name ?? "";
        if (site.Options.OnFault is { } policy && policy != FaultPolicy.Stop) throw JournalErrors.Policy(name);
        if (site.Options.IsStateless) throw JournalErrors.Stateless(name);
        if (!site.IsForEveryItem) throw JournalErrors.NotForEveryItem(name);
        if (Interlocked.Exchange(ref _isAttached, 1) != 0) throw JournalErrors.AttachedTwice(_files.Folder);
        _attached = site.Slots.Ring;
        Stage stage = site.Attach(_stage);
        // Whatever waits for an item of a ring that has ended would wait for ever.
        _attached.Completion.ContinueWith(
            static (_, state) => ((Journal<T>)state!).RingEnded(), this, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        return stage;
    }

    /// <summary>Syncs what is written, and marks the journal as closed. Close it when its pipeline has ended.</summary>
    /// <exception cref="JournalException">The sync failed, or the journal had failed before.</exception>
    public void Close()
    {
        _interval?.Dispose();
        Snapshots.Close();
        try
        {
            _writer.Close();
        }
        finally
        {
            Fail(JournalErrors.Closed(_files.Folder));
            _lock.Dispose();
        }
    }

    /// <summary><see cref="Close"/>, without an exception: what could not be synced was not acknowledged either.</summary>
    public void Dispose()
    {
        try
        {
            Close();
        }
        catch (Exception)
        {
            // The next opening finds what is there.
        }
    }

    private void RingEnded()
    {
        try
        {
            _writer.Sync();
        }
        catch (Exception)
        {
            // Told to those that wait already.
        }

        _ring.Fail(_attached!.Refusal());
    }

    private void Acknowledge(Extent durable)
    {
        _items.Advance(durable.Items);
        _ring.Advance(durable.Ring);
    }

    private void Fail(Exception fault)
    {
        _items.Fail(fault);
        _ring.Fail(fault);
    }
}

/// <summary>What a journal held when it was opened.</summary>
/// <param name="First">The oldest item.</param>
/// <param name="Next">The sequence behind the last.</param>
/// <param name="TornBytes">Bytes of a torn tail that were cut. Nothing in them had been acknowledged.</param>
/// <param name="WasClosed">Whether its last writer closed it.</param>
public sealed record JournalFound(long First, long Next, long TornBytes, bool WasClosed)
{
    /// <summary>How many items.</summary>
    public long Count => Next - First;
}

/// <summary>Writes an item's sequence into the item.</summary>
/// <typeparam name="T">The item type.</typeparam>
public delegate void SequenceWriter<T>(ref T item, long sequence);
