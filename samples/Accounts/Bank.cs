using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Raceway.Interop.Journal;
using Raceway.Rings;

namespace Accounts;

/// <summary>The logic: balances in memory, changed by one thread at a time, without a lock.</summary>
/// <remarks>It is deterministic: the same commands in the same order come to the same balances and replies. So it reads no clock
/// and draws no random number, and a replay makes again what was lost with the process.</remarks>
internal sealed class Bank : IBatchHandler<Command>
{
    public const int Accounts = 1_000;
    private const long Opening = 1_000;
    private const int CopyEach = 5_000;

    // First the offset of the next command, then the balances: a copy of all state is one copy of this.
    private readonly long[] _state = new long[1 + Accounts];
    private long _nextCopy = CopyEach;
    private JournalSnapshot? _copy;

    public Bank() => Balances.Fill(Opening);

    /// <summary>The offset of the command that comes next.</summary>
    public long Next => Volatile.Read(ref _state[0]);

    /// <summary>Of the whole state.</summary>
    public string Hash => Convert.ToHexString(SHA256.HashData(MemoryMarshal.AsBytes(_state.AsSpan())))[..16];

    /// <summary>A copy of the state, made between two batches. The stage that saves it sets it to null; then another is made.</summary>
    public JournalSnapshot? Copy
    {
        get => Volatile.Read(ref _copy);
        set => Volatile.Write(ref _copy, value);
    }

    private Span<long> Balances => _state.AsSpan(1);

    public void Restore(JournalSnapshot snapshot)
    {
        MemoryMarshal.Cast<byte, long>(snapshot.State.Span).CopyTo(_state);
        _nextCopy = Next + CopyEach;
    }

    public void OnBatch(Batch<Command> batch)
    {
        foreach (ref Command command in batch) Apply(ref command);
        if (Next < _nextCopy || Copy is not null) return;
        Copy = new JournalSnapshot(Next, MemoryMarshal.AsBytes(_state.AsSpan()).ToArray());
        _nextCopy = Next + CopyEach;
    }

    public void Apply(ref Command command)
    {
        long next = Next;
        // Known: a link sends again what it cannot know to have arrived.
        if (command.Offset < next) return;
        if (command.Offset > next) throw new InvalidDataException($"Commands {next} to {command.Offset - 1} are missing.");
        ref long from = ref Balances[command.From];
        command.Reply = from < command.Cents ? -1 : from - command.Cents;
        if (command.Reply >= 0)
        {
            from -= command.Cents;
            Balances[command.To] += command.Cents;
        }

        Volatile.Write(ref _state[0], next + 1);
    }
}
