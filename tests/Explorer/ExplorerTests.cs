using System.Globalization;
using Raceway.Explorer.Bodies;
using Raceway.Explorer.Engine;
using Xunit;

namespace Raceway.Explorer;

/// <summary>Every body in every mode. What goes wrong is printed with its trace, and the command that replays it.</summary>
/// <remarks>Every other body is explored in a process beside this one, by <see cref="BesideTests"/>: each has one processor.</remarks>
[Collection(Explorer.Collection)]
public sealed class ExplorerTests(ITestOutputHelper output)
{
    public static TheoryData<string, string> Bodies() => Explorer.Rows(beside: false);

    [Theory]
    [MemberData(nameof(Bodies))]
    public void Body_EveryExecution_IsRight(string name, string mode)
    {
        Explored explored = Explorer.Explore(name, mode);
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
