using Raceway.Interop.Journal;

namespace Accounts;

/// <summary>Says whether what is in a folder is what its commands come to, by three ways to the state, and a look at each reply.</summary>
internal static class Check
{
    public static int Run(string folder)
    {
        string? wrong = Find(folder, out string summary);
        Console.WriteLine(wrong is null ? $"right: {summary}" : $"wrong: {wrong}");
        return wrong is null ? 0 : 1;
    }

    private static string? Find(string folder, out string summary)
    {
        summary = "";
        // As the next start would open it: locked, and without a torn tail.
        using Journal<Command> journal = Store.Open(folder);
        long stored = journal.Found.Next;

        // The commands themselves, and the reply that each must have had.
        var direct = new Bank();
        Command[] commands = Commands.ReadAll(folder);
        byte[] written = Output.Read(folder);
        long replies = written.Length / Output.LineLength;
        if (replies > stored) return $"there are {replies} replies to {stored} stored commands";
        byte[] line = new byte[Output.LineLength];
        for (int offset = 0; offset < stored; offset++)
        {
            direct.Apply(ref commands[offset]);
            Output.Format(commands[offset], line);
            if (offset < replies && !written.AsSpan(offset * line.Length, line.Length).SequenceEqual(line)) return $"reply {offset} is not right";
        }

        // A full replay.
        var full = new Bank();
        long items = 0;
        foreach (Command one in Store.Read(folder))
        {
            Command command = one;
            if (command.Offset != items++) return $"the journal has command {command.Offset} at {items - 1}";
            full.Apply(ref command);
        }

        // The last snapshot, and what follows it.
        var quick = new Bank();
        if (journal.Snapshots.Latest is { } latest) quick.Restore(latest);
        long snapshot = quick.Next;
        foreach (Command one in Store.Read(folder, snapshot))
        {
            Command command = one;
            quick.Apply(ref command);
        }

        if (full.Hash != direct.Hash) return $"the replay comes to {full.Hash}, and the commands to {direct.Hash}";
        if (quick.Hash != direct.Hash) return $"the snapshot at {snapshot} and its tail come to {quick.Hash}, and the commands to {direct.Hash}";
        summary = $"{stored} commands stored, {replies} replies, each once; state hash {direct.Hash} by the commands, by a full replay, "
            + "and by the last snapshot and its tail";
        return null;
    }
}
