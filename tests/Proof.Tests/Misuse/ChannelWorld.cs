using System.Threading.Channels;
using Raceway.Interop;

namespace Raceway.Proof.Tests.Misuse;

/// <summary>A pipeline as a channel: every thread writes, every thread reads, as with any channel.</summary>
internal sealed class ChannelWorld : World<Plain>
{
    private const May Writing = May.Ended | May.Cancel;
    private const int ReaderColumn = 0;
    private readonly PipelineChannel<Plain, Plain> _channel;
    private int _completed;

    public ChannelWorld(Setting setting)
        : base(setting.Ledger)
    {
        Dice dice = setting.Dice;
        PipelineBuilder<Plain, Plain> definition = Pipelines.Pipeline.Of<Plain>(setting.Capacity).Configure(options => options with
        {
            CheckProducer = true,
            DrainTimeout = TimeSpan.FromMilliseconds(2),
            OnUnprocessed = (ref slot) => Ledger.Came(Ledger.Left, PlainShape.Read(ref slot)),
        });
        if (dice.OneIn(2)) definition.MultiProducer(4);
        if (dice.OneIn(2))
            definition.Stage("first", (IBatchHandler<Plain>)new Keeper<Plain, PlainShape>(Ledger, 1, (uint)dice.Next(int.MaxValue), null));
        _channel = definition.RunAsChannel((Plan)dice.Next(2));
        AddWriting();
        AddReading();
    }

    public override bool HasEnded =>
        Volatile.Read(ref _completed) > 0 || _channel.Pipeline.State is not (RingState.Created or RingState.Running);

    public override void Rescue()
    {
        Interlocked.Increment(ref _completed);
        _ = _channel.Pipeline.HaltAsync();
    }

    public override string Describe() => _channel.Pipeline.Dump();

    public override async Task EndAsync(Dice dice)
    {
        _channel.Writer.TryComplete();
        using var late = new CancellationTokenSource(TimeSpan.FromSeconds(20));
        while (!_channel.Reader.Completion.IsCompleted && !late.IsCancellationRequested)
        {
            if (!Read()) await Task.Delay(1, CancellationToken.None);
        }

        if (late.IsCancellationRequested) Ledger.Fault($"the reader's end does not come: {Describe()}");
        await _channel.DisposeAsync();
        while (Read())
        {
        }

        Ledger.Check(ReaderColumn, strictly: true);
    }

    private bool Read()
    {
        if (!_channel.Reader.TryRead(out Plain item)) return false;
        Ledger.Came(ReaderColumn, PlainShape.Read(ref item));
        return true;
    }

    private void AddWriting()
    {
        ChannelWriter<Plain> writer = _channel.Writer;
        Add("TryWrite", 20, May.Return, (ref h) =>
        {
            Items items = h.Player.Make(1);
            h.Player.Told(items, writer.TryWrite(PlainShape.Make(items.First)) ? ClaimStatus.Done : ClaimStatus.Full);
        });
        Add("WriteAsync", 12, Writing, (ref h) =>
        {
            bool waits = h.Player.Dice.OneIn(3);
            CancellationToken token = h.Player.Token();
            Items items = h.Player.Make(1);
            h.Player.Follow(writer.WriteAsync(PlainShape.Make(items.First), token), items, Writing, isGroup: false, waits);
        }, waits: true);
        Add("WaitToWriteAsync", 4, Writing, (ref h) =>
        {
            bool waits = h.Player.Dice.OneIn(3);
            // What the channel was ended with is thrown as it is, as by any channel: its disposal too.
            h.Player.Follow(writer.WaitToWriteAsync(h.Player.Token()).AsTask(), Writing | May.Disposed, waits);
        }, waits: true);
        Add("TryComplete", 1, May.Return, (ref h) =>
        {
            if (!h.Player.Dice.OneIn(20)) return;
            Interlocked.Increment(ref _completed);
            writer.TryComplete(h.Player.Dice.OneIn(2) ? new FromHandlerException() : null);
        });
        Add("cancel what waits", 4, May.Return, (ref h) => h.Player.CancelLater());
        Add("DisposeAsync", 1, May.Return, (ref h) =>
        {
            if (!h.Player.Dice.OneIn(40)) return;
            Interlocked.Increment(ref _completed);
            h.Player.Follow(_channel.DisposeAsync().AsTask(), May.Return);
        });
    }

    private void AddReading()
    {
        ChannelReader<Plain> reader = _channel.Reader;
        Add("TryRead", 20, May.Return, (ref h) => h.Player.Count(Read()));
        Add("TryPeek, Count", 4, May.Return, (ref h) =>
        {
            if (reader.CanPeek && reader.TryPeek(out Plain item) && PlainShape.Read(ref item) < 0) Ledger.Fault("a torn item");
            if (reader.CanCount && reader.Count < 0) Ledger.Fault("Count is below 0");
        });
        Add("ReadAsync", 10, Writing, (ref h) =>
        {
            bool waits = h.Player.Dice.OneIn(3);
            h.Player.Follow(ReadAsync(h.Player.Token()), Writing, waits);
        }, waits: true);
        Add("WaitToReadAsync", 6, Writing, (ref h) =>
        {
            bool waits = h.Player.Dice.OneIn(3);
            h.Player.Follow(reader.WaitToReadAsync(h.Player.Token()).AsTask(), Writing, waits);
        }, waits: true);
        Add("ReadAllAsync", 3, Writing, (ref h) => h.Player.Follow(ReadSomeAsync(h.Player.Dice.Next(1, 5), h.Player.Token()), Writing));
    }

    private async Task ReadAsync(CancellationToken cancellation)
    {
        Plain item = await _channel.Reader.ReadAsync(cancellation).ConfigureAwait(false);
        Ledger.Came(ReaderColumn, PlainShape.Read(ref item));
    }

    private async Task ReadSomeAsync(int most, CancellationToken cancellation)
    {
        await foreach (Plain next in _channel.Reader.ReadAllAsync(cancellation).ConfigureAwait(false))
        {
            Plain item = next;
            Ledger.Came(ReaderColumn, PlainShape.Read(ref item));
            if (--most == 0) return;
        }
    }
}
