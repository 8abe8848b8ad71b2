using System.Globalization;
using Raceway.Verify.Mutants;

namespace Raceway.Verify.Reporting;

/// <summary>A line a mutant, as it ends, and one that sums them up.</summary>
/// <param name="mutants">Those to come.</param>
internal sealed class MutantTable(IReadOnlyList<Mutant> mutants)
{
    private readonly int _name = mutants.Max(static mutant => mutant.Name.Length);
    private readonly int _place = mutants.Max(static mutant => Place(mutant).Length);
    private readonly int _kind = Enum.GetNames<MutantKind>().Max(static name => name.Length);

    /// <summary>Writes one.</summary>
    public void Write(Fate fate)
    {
        Mutant mutant = fate.Mutant;
        string kind = mutant.Kind.ToString().ToLowerInvariant();
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{(fate.Killed ? "killed" : "ALIVE "),-6}  {mutant.Name.PadRight(_name)}  {kind.PadRight(_kind)}  {Place(mutant).PadRight(_place)}  {fate.Seconds,5:0.0} s  {fate.By}  {fate.Test}"));
        if (fate.Output.Length > 0) Console.WriteLine(fate.Output);
    }

    /// <summary>Writes the sum.</summary>
    public static void WriteSum(int killed, int all) =>
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"mutants: {killed} of {all} killed"));

    private static string Place(Mutant mutant) => $"{string.Join(' ', mutant.Sources)} {mutant.Method}";
}
