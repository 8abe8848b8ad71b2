using System.Globalization;
using System.Runtime.CompilerServices;
using Raceway.Explorer.Bodies;
using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Xunit;

namespace Raceway.Explorer;

/// <summary>The one machine of this process, made ready.</summary>
internal static class Explorer
{
    /// <summary>Of the tests that use the machine: one at a time.</summary>
    public const string Collection = "The machine";

    private static readonly Model s_model = Prepare();
    private static readonly Exploration s_exploration = new(s_model);

    /// <summary>Half of the bodies, each in every mode: the ones that are explored here, or those beside.</summary>
    public static TheoryData<string, string> Rows(bool beside)
    {
        bool isAlone = System.Environment.GetEnvironmentVariable("RACEWAY_ALONE") == "1";
        var rows = new TheoryData<string, string>();
        for (int i = 0; i < AllBodies.All.Count; i++)
        {
            if (isAlone ? beside : beside != (i % 2 == 1)) continue;
            foreach (MemoryMode mode in AllBodies.All[i].Modes) rows.Add(AllBodies.All[i].Name, mode.ToString());
        }

        return rows;
    }

    /// <summary>Explores a body as much as the environment says.</summary>
    public static Explored Explore(string name, string mode) =>
        Explore(AllBodies.All.Single(body => body.Name == name), Enum.Parse<MemoryMode>(mode), Effort.FromEnvironment());

    public static Explored Explore(Body body, MemoryMode mode, Effort effort, bool counts = true)
    {
        // The caller takes part: it sets every execution up.
        int[] processors = Raceway.Rings.Affinity.Read();
        s_model.Pin();
        using var watchdog = new Watchdog(s_model);
        Explored explored = s_exploration.Explore(body, mode, effort);
        if (processors.Length > 0) _ = Raceway.Rings.Affinity.Write(processors);
        if (counts && explored.Failure is null) Tally.Add(Counted.Interleavings, explored.Executions);
        return explored;
    }

    public static string Replay(string name, string mode, string preemptions, string choices) =>
        Replay(AllBodies.All.Single(body => body.Name == name), mode, preemptions, choices);

    public static string Replay(Body body, string mode, string preemptions, string choices) =>
        s_exploration.Replay(
            body,
            Enum.Parse<MemoryMode>(mode),
            Choices.Parse(choices),
            int.Parse(preemptions, CultureInfo.InvariantCulture));

    // What runs once a process must have run before the first execution, or that one would differ from the others.
    private static Model Prepare()
    {
        foreach (Type type in typeof(Raceway.Rings.Ring).Assembly.GetTypes())
        {
            if (type.Namespace == typeof(Raceway.Rings.Ring).Namespace && !type.ContainsGenericParameters)
                RuntimeHelpers.RunClassConstructor(type.TypeHandle);
        }

        Stopwatch.Settle();
        Model model = Model.Current;
        int[] processors = Raceway.Rings.Affinity.Read();
        if (processors.Length > 0) model.PinTo(processors[Program.Turn % processors.Length]);
        return model;
    }
}
