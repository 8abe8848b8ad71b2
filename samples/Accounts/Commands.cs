using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Raceway.Rings;

namespace Accounts;

/// <summary>A file of commands. It stands for a broker's log: it can be read from any offset on, again and again.</summary>
internal static class Commands
{
    public const int Count = 100_000;
    private const int AtATime = 64;

    /// <summary>Publishes all commands from an offset on.</summary>
    public static void Publish(string folder, long from, Producer<Command> producer)
    {
        using SafeFileHandle file = Open(folder);
        var commands = new Command[AtATime];
        while (true)
        {
            int bytes = RandomAccess.Read(file, MemoryMarshal.AsBytes(commands.AsSpan()), from * Unsafe.SizeOf<Command>());
            if (bytes == 0) return;
            int count = bytes / Unsafe.SizeOf<Command>();
            producer.Publish(commands.AsSpan(0, count));
            from += count;
        }
    }

    public static Command[] ReadAll(string folder)
    {
        Open(folder).Dispose();
        return MemoryMarshal.Cast<byte, Command>(File.ReadAllBytes(PathOf(folder))).ToArray();
    }

    private static string PathOf(string folder) => Path.Combine(folder, "commands");

    // Made when it is not there, the same in every folder.
    private static SafeFileHandle Open(string folder)
    {
        string path = PathOf(folder);
        if (!File.Exists(path))
        {
            var random = new Random(22);
            var commands = new Command[Count];
            for (int offset = 0; offset < Count; offset++)
            {
                int from = random.Next(Bank.Accounts);
                int to = (from + random.Next(1, Bank.Accounts)) % Bank.Accounts;
                commands[offset] = new Command { Offset = offset, From = from, To = to, Cents = random.Next(1, 500) };
            }

            // Under another name until it is whole: this process may be killed here too.
            Directory.CreateDirectory(folder);
            File.WriteAllBytes(path + ".part", MemoryMarshal.AsBytes(commands.AsSpan()));
            File.Move(path + ".part", path, overwrite: true);
        }

        return File.OpenHandle(path);
    }
}
