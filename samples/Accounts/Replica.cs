using Raceway.Interop.Distributed;
using Raceway.Interop.Journal;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Accounts;

/// <summary>The other end of the link: the same logic behind a journal of its own. It would run on another machine.</summary>
internal sealed class Replica : IAsyncDisposable
{
    private readonly Bank _bank = new();
    private readonly Journal<Command> _journal;
    private readonly LinkSource<Command> _source;
    private readonly Pipeline<Command> _pipeline;

    private Replica(string folder)
    {
        _journal = Journal<Command>.Open(Path.Combine(folder, "replica"), JournalCodec.Unmanaged<Command>(), Store.Small);
        _source = new LinkSource<Command>(LinkOf(folder), ItemCodec.Unmanaged<Command>());
        _pipeline = Pipeline.Of<Command>(1024)
            .Stage("journal", _journal)
            .Stage("logic", _bank)
            .Stage("acknowledge", _source.Acknowledger)
            .Run();
    }

    /// <summary>The first command that it has not stored and handled.</summary>
    public long Next => _bank.Next;

    public string Hash => _bank.Hash;

    public static LinkAddress LinkOf(string folder) => new($"accounts.{Path.GetFileName(folder)}.replica", Partitions: 1);

    public static async Task<Replica> StartAsync(string folder, ILinkTransport transport)
    {
        var replica = new Replica(folder);
        using (SingleProducer<Command> producer = replica._pipeline.CreateProducer()) replica._journal.Replay(producer);
        await replica._source.StartAsync(transport, replica._pipeline);
        await replica._source.SubscribeAsync([0]);
        return replica;
    }

    /// <summary>Completes when it has handled that many commands.</summary>
    public async Task ReachAsync(long count)
    {
        while (Next < count)
        {
            await Task.WhenAny(_pipeline.Completion, Task.Delay(10));
            if (_pipeline.Completion.IsCompleted) await _pipeline.Completion;
        }
    }

    public async ValueTask DisposeAsync()
    {
        _source.Stop();
        await _pipeline.DrainAsync(TimeSpan.FromSeconds(30));
        await _source.DisposeAsync();
        await _pipeline.DisposeAsync();
        _journal.Dispose();
    }
}
