using System.Globalization;
using Raceway.Explorer.Bodies;
using Raceway.Explorer.Engine;
using Xunit.Runner.InProc.SystemConsole;

namespace Raceway.Explorer;

/// <summary>Explores by hand: <c>list</c>, <c>sources</c>, <c>run [name…]</c>, <c>replay body mode preemptions choices</c>.</summary>
/// <remarks>Without one of these words it runs the tests, with the options of their runner.</remarks>
internal static class Program
{
    /// <summary>Which of the processors this process explores on, counted on from the first.</summary>
    // Not the same for all: several may explore at once.
    public static int Turn { get; private set; } = System.Environment.ProcessId;

    /// <summary>The last line of <c>serve</c>'s answer: all executions were right, or one was not.</summary>
    public const string Right = "right";

    /// <inheritdoc cref="Right"/>
    public const string Wrong = "wrong";

    public static int Main(string[] args)
    {
        switch (args)
        {
            case ["list"]:
                foreach (Body body in AllBodies.All) Console.WriteLine(body.Name);
                return 0;
            case ["sources"]:
                Console.WriteLine(Sources.Describe());
                return 0;
            case ["replay", string name, string mode, string preemptions, string choices]:
                Console.WriteLine(Explorer.Replay(name, mode, preemptions, choices));
                return 0;
            case ["run", ..]:
                return Run(args[1..]);
            // For the tests: explores what each line of the input asks for, on the processor that is given.
            case ["serve", string turn]:
                Turn = int.Parse(turn, CultureInfo.InvariantCulture);
                return Serve();
            case ["help"]:
                Console.WriteLine("list | sources | run [part of a name] [--fail-fast] | replay BODY MODE PREEMPTIONS CHOICES");
                return 0;
            default:
                return ConsoleRunner.Run(args).GetAwaiter().GetResult();
        }
    }

    private static int Serve()
    {
        while (Console.ReadLine() is { } asked)
        {
            string[] row = asked.Split(' ');
            Explored explored = Explorer.Explore(row[0], row[1]);
            Console.WriteLine(explored);
            Console.WriteLine(explored.Failure is null ? Right : Wrong);
        }

        return 0;
    }

    private static int Run(string[] args)
    {
        bool failFast = args.Contains("--fail-fast");
        string[] parts = [.. args.Where(arg => !arg.StartsWith("--", StringComparison.Ordinal))];
        Effort effort = Effort.FromEnvironment();
        int failed = 0;
        long executions = 0;
        Console.WriteLine(Sources.Describe());
        foreach (Body body in AllBodies.All)
        {
            if (parts.Length > 0 && !parts.Any(part => body.Name.Contains(part, StringComparison.OrdinalIgnoreCase))) continue;
            foreach (MemoryMode mode in body.Modes)
            {
                Explored explored = Explorer.Explore(body, mode, effort);
                Console.WriteLine(explored);
                executions += explored.Executions;
                if (explored.Failure is null) continue;
                failed++;
                if (failFast) return 1;
            }
        }

        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{executions:N0} interleavings, {failed} failed"));
        return failed == 0 ? 0 : 1;
    }
}
