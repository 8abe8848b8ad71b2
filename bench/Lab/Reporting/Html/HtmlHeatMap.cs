namespace Raceway.Lab.Reporting;

/// <summary>Heat maps: plain tables, so that they are read, copied and printed without any program.</summary>
internal static class HtmlHeatMap
{
    /// <summary>Appends a heat map.</summary>
    public static void Add(HtmlBody body, ReportHeatMap map)
    {
        string id = body.NextId("map");
        body.Add($"""
            <div class="wide" role="region" aria-labelledby="{id}" tabindex="0"><table class="heat">
            <caption id="{id}"><span>{map.Caption}</span></caption>
            <thead><tr><th scope="col">{map.Down} \ {map.Across}</th>
            """);
        foreach (string column in map.Columns)
        {
            body.Add($"<th scope=\"col\">{column}</th>");
        }

        body.Add($"</tr></thead>\n<tbody>\n");
        foreach (HeatRow row in map.Rows)
        {
            body.Add($"<tr><th scope=\"row\">{row.Name}</th>");
            foreach (HeatCell? cell in row.Cells)
            {
                if (cell is null) body.Add($"<td class=\"none\">{Figure.None}</td>");
                else if (cell.IsBest)
                    body.Add($"<td class=\"{HeatScale.ClassOf(cell.Shade)} best\" title=\"{cell.Detail}\">{cell.Text}<span class=\"hidden\"> (best)</span></td>");
                else body.Add($"<td class=\"{HeatScale.ClassOf(cell.Shade)}\" title=\"{cell.Detail}\">{cell.Text}</td>");
            }

            body.Add($"</tr>\n");
        }

        body.Add($"</tbody></table></div>\n");
    }
}
