using System.Globalization;
using Raceway.Explorer.Bodies;
using Raceway.Explorer.Engine;
using Xunit;
using Xunit.Sdk;
using Xunit.v3;

[assembly: Parallelization(Mode = ParallelMode.None)]

namespace Raceway.Explorer;

/// <summary>Every body in every mode. What goes wrong is printed with its trace, and the command that replays it.</summary>
public sealed class ExplorerTests(ITestOutputHelper output)
{
    public static TheoryData<string, string> Bodies()
    {
        var data = new TheoryData<string, string>();
        foreach (Body body in AllBodies.All)
            foreach (MemoryMode mode in body.Modes) data.Add(body.Name, mode.ToString());
        return data;
    }

    [Theory]
    [MemberData(nameof(Bodies))]
    public void Body_EveryExecution_IsRight(string name, string mode)
    {
        Explored explored = Explorer.Explore(
            AllBodies.All.Single(body => body.Name == name), Enum.Parse<MemoryMode>(mode), Effort.FromEnvironment());
        output.WriteLine(explored.ToString());
        Assert.True(explored.Failure is null, explored.ToString());
    }

    [Fact]
    public void Bodies_Number_IsAtLeastForty()
    {
        string[] schedules = [.. AllBodies.All.Select(body => body.Name).Where(name => !name.StartsWith("walk/", StringComparison.Ordinal))];
        Assert.InRange(schedules.Length, 40, int.MaxValue);
        Assert.Equal(schedules.Length, schedules.Distinct().Count());
    }

    [Fact]
    public void Sources_AreTheShippedOnes()
    {
        string described = Sources.Describe();
        output.WriteLine(described);
        Assert.Contains("src/Ring/Cells/Progress.cs", described, StringComparison.Ordinal);
        int files = int.Parse(described.Split('\n')[^1].Split(' ')[0], CultureInfo.InvariantCulture);
        Assert.InRange(files, 70, int.MaxValue);
    }
}
