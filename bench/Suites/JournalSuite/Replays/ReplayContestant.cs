using Raceway.Measuring;

namespace Raceway.Suites.JournalSuite.Replays;

/// <summary>Items of 128 bytes that are stored once, and read again in each round.</summary>
internal interface IReplay : IDisposable
{
    /// <summary>Makes ready to read so many items; not timed.</summary>
    /// <returns>The index of the first that it will read.</returns>
    long Prepare(long items);

    /// <summary>Reads them into the state.</summary>
    void Run(long items, ReplayState state);

    /// <summary>Puts away what <see cref="Prepare"/> has made; not timed.</summary>
    void End();
}

/// <summary>A replay of stored items into a state, which is compared with that of a plain loop.</summary>
/// <param name="name">The name in the rows.</param>
/// <param name="make">Stores <see cref="Stored"/> items in an empty folder.</param>
internal sealed class ReplayContestant(string name, Func<string, ReplayState, IReplay> make) : ScenarioContestant(name), IDisposable
{
    /// <summary>Items that are stored.</summary>
    public const long Stored = 400_000;

    /// <summary>What is written into each.</summary>
    public static JournalRound Round { get; } = new(1);

    private readonly ReplayState _state = new();
    private string? _folder;
    private IReplay? _replay;
    private long _first;

    /// <inheritdoc/>
    public override int BusyThreads => 2;

    /// <inheritdoc/>
    public override long MaxOperations => Stored;

    /// <inheritdoc/>
    public void Dispose()
    {
        _replay?.Dispose();
        if (_folder is not null) Directory.Delete(_folder, recursive: true);
    }

    /// <inheritdoc/>
    protected override void Prepare(long operations)
    {
        if (_replay is null)
        {
            _folder = Directory.CreateTempSubdirectory("raceway-journal-").FullName;
            _replay = make(_folder, _state);
        }

        _state.Reset();
        _first = _replay.Prepare(operations);
    }

    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation) => _replay!.Run(operations, _state);

    /// <inheritdoc/>
    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [];
        _replay!.End();
        return _state.IsOf(_first, operations);
    }
}
